"""What somebody tries who has taken a parser over. Each is Python that runs in the parser, and raises where it fails.

The names `folder`, `server` and `port` stand for the operator's folder, the process id of a server, and a port where
somebody listens.
"""

import json

PRELUDE = """
import ctypes, fcntl, os, pathlib, resource, socket, subprocess, sys, tempfile

def kernel(name, *arguments):
    libc = ctypes.CDLL(None, use_errno=True)
    ctypes.set_errno(0)
    result = getattr(libc, name)(*(ctypes.c_long(each) if isinstance(each, int) else each for each in arguments))
    if result < 0:
        raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))
    return result

def read(path):
    with open(path, "rb") as file:
        print(file.read().decode("utf-8", "replace"))

def vector(address, size):
    return (ctypes.c_size_t * 2)(address, size)
"""

KEYS = {
    "the settings": "read('gossamer.toml')",
    "the settings by their whole path": "read(f'{folder}/gossamer.toml')",
    "the settings by way of the process": "read('/proc/self/cwd/gossamer.toml')",
    "the environment of the server": "read(f'/proc/{server}/environ')",
    "the environment of who started it": "read(f'/proc/{os.getppid()}/environ')",
    "its own environment": "read('/proc/self/environ')",
    "the memory of the server": "open(f'/proc/{server}/mem', 'rb')",
    "where things lie in that memory": "read(f'/proc/{server}/maps')",
    "the command line of the server": "read(f'/proc/{server}/cmdline')",
    "the files that the server has open": "print(os.listdir(f'/proc/{server}/fd'))",
    "the accounts of the machine": "read('/etc/passwd')",
    "what is on the machine": "print(os.listdir('/'))",
    "what lies in a folder of the import path": "read(f'{folder}/scripts/.env')",
    "what lies beside the environment": "print(os.listdir(pathlib.Path(sys.prefix).parent))",
    "what lies in the environment": "print(os.listdir(sys.prefix))",
    "another process by ptrace": "kernel('ptrace', 16, server, 0, 0)\nos.waitpid(server, 0)",
    "the memory of another process": "space = vector(0, 0)\nkernel('process_vm_readv', server, space, 1, space, 1, 0)",
}
STORE = {
    "a list of files": "print(os.listdir('data'))",
    "a list by way of a link": "print(os.listdir('link'))",
    "reading": "read('data/library.sqlite')",
    "writing": "open('data/library.sqlite', 'r+').close()",
    "appending": "open('data/library.sqlite', 'a').close()",
    "truncating": "os.truncate('data/library.sqlite', 0)",
    "removing": "os.unlink('data/library.sqlite')",
    "renaming": "os.rename('data/library.sqlite', 'data/other')",
    "linking": "os.link('data/library.sqlite', 'data/other')",
    "a symbolic link": "os.symlink('library.sqlite', 'data/other')",
    "a new file": "open('data/new', 'w').close()",
    "a new folder": "os.mkdir('data/new')",
    "a new pipe": "os.mkfifo('data/new')",
    "other rights": "os.chmod('data/library.sqlite', 0o777)",
    "another time": "os.utime('data/library.sqlite', (0, 0))",
    "another owner": "os.chown('data/library.sqlite', os.getuid(), os.getgid())",
    "a file without a name": "os.open('data', os.O_TMPFILE | os.O_RDWR)",
    "a file in memory": "os.memfd_create('new')",
    "a temporary file": "tempfile.TemporaryFile()",
}
NETWORK = {
    "TCP": "socket.create_connection(('127.0.0.1', port))",
    "TCP, listening": "socket.create_server(('127.0.0.1', 0))",
    "UDP": "socket.socket(socket.AF_INET, socket.SOCK_DGRAM).sendto(b'x', ('127.0.0.1', port))",
    "a Unix socket": "socket.socket(socket.AF_UNIX).connect(f'{folder}/door')",
    "an abstract Unix socket": "socket.socket(socket.AF_UNIX).connect(f'\\0gossamer-{port}')",
    "a pair of sockets": "socket.socketpair()",
    "a socket of the kernel": "socket.socket(socket.AF_NETLINK, socket.SOCK_RAW)",
}
PROGRAMS = {
    "a program": "subprocess.run(['/bin/true'], check=True)",
    "a shell": "if os.system('true'):\n    raise OSError('no shell')",
    "a program by posix_spawn": "os.waitpid(os.posix_spawn('/bin/true', ['true'], {}), 0)",
    "another process": "child = os.fork()\nif not child:\n    os._exit(0)\nos.waitpid(child, 0)",
    "a signal to the server": "os.kill(server, 0)",
    "a signal to who started it": "os.kill(os.getppid(), 0)",
    "a signal by way of a file": "fcntl.fcntl(3, fcntl.F_SETOWN, server)",
    "a handle of the server": "os.pidfd_open(server)",
    "to outlive the server": "kernel('prctl', 1, 0, 0, 0, 0)",
    "more memory": "resource.setrlimit(resource.RLIMIT_AS, (resource.RLIM_INFINITY,) * 2)",
    "more time": "resource.setrlimit(resource.RLIMIT_CPU, (resource.RLIM_INFINITY,) * 2)",
    "more files": "resource.setrlimit(resource.RLIMIT_NOFILE, (128, 128))",
    "the limits of the server": "resource.prlimit(server, resource.RLIMIT_NOFILE)",
    "another scheduler": "os.sched_setscheduler(0, os.SCHED_BATCH, os.sched_param(0))",
}
ATTEMPTS = {
    f"{group}: {name}": code
    for group, table in (("key", KEYS), ("store", STORE), ("network", NETWORK), ("program", PROGRAMS))
    for name, code in table.items()
}


def code_of(attempt: str, *, folder: str, server: int, port: int) -> str:
    """An attempt as it is sent to the parser."""
    facts = "".join(f"{name} = {json.dumps(value)}\n" for name, value in locals().items() if name != "attempt")
    return f"{PRELUDE}\n{facts}\n{attempt}\n"
