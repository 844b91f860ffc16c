"""The command without its front: serving goes straight to the server, everything else to the commands."""

import gc
import select
import sys
import threading

from gossamer.process import has_stdio, leave, leave_at_signals, leave_flushed

_LOOK_MS = 50


def main() -> None:
    """Serve MCP over stdio when a program started us, print help when a person did, else run the command."""
    arguments = sys.argv[1:]
    if arguments in ([], ["serve"]) and not (arguments == [] and sys.stdin and sys.stdin.isatty()):
        serve()
        return
    if arguments in (["--version"], ["-V"]):
        from gossamer.version import __version__

        print(__version__)
        return
    from gossamer.cli.commands import run_command

    try:
        run_command(arguments or ["--help"])
    except SystemExit as end:
        others = [one for one in threading.enumerate() if one is not threading.main_thread()]
        if others and all(one.daemon for one in others):
            leave_flushed(end.code)
        raise


def serve() -> None:
    """Serve over stdio; a process without standard input or output has no client, and ends."""
    if not has_stdio():
        return
    leave_at_signals()
    is_loaded = threading.Event()
    threading.Thread(target=_leave_if_nobody_asks, args=(is_loaded,), daemon=True).start()
    gc.disable()  # nothing that is imported becomes garbage
    from gossamer.server.stdio.serve import serve_stdio
    from gossamer.settings.load import load

    gc.freeze()
    gc.enable()
    is_loaded.set()
    serve_stdio(load())


def _leave_if_nobody_asks(is_loaded: threading.Event) -> None:
    """End the process when the client hangs up during our imports without having sent anything to answer."""
    if not hasattr(select, "poll"):
        return
    watch = select.poll()
    watch.register(0, select.POLLIN)
    while not is_loaded.is_set():
        for _, seen in watch.poll(_LOOK_MS):
            if seen & select.POLLHUP and not seen & select.POLLIN and not is_loaded.is_set():
                leave()
            return
