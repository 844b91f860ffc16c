"""The command's first milliseconds: serving goes straight to the server, everything else to the commands."""

import sys


def main() -> None:
    """Serve MCP over stdio when a program started us, print help when a person did, else run the command."""
    arguments = sys.argv[1:]
    if arguments in ([], ["serve"]) and not (arguments == [] and sys.stdin.isatty()):
        from gossamer.server.stdio import serve_stdio
        from gossamer.settings.load import load

        serve_stdio(load())
        return
    if arguments in (["--version"], ["-V"]):
        from gossamer.version import __version__

        print(__version__)
        return
    from gossamer.cli.commands import run_command

    run_command(arguments or ["--help"])
