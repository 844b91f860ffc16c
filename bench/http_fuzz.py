"""Fuzzes the HTTP face: `python -m bench.http_fuzz [--seconds 600] [--seed WORD] [--only NUMBER]`.

Conversations out of the grammar of tests/hostile/http_grammar.py, four at once, against the real server process: every
well-formed request gets exactly one answer, with its own id; a broken one at most one error, and then the end. Prints
what went wrong with the number of its conversation, and what it cost; the exit code is 1 when something went wrong.
`--only` has one conversation again and shows its bytes.
"""

import argparse
import sys
import tempfile
from pathlib import Path

from bench._gauge import machine

from tests.hostile.http_fuzzing import TIMES_AS_DEAR, TURN_S, Fuzzer, fuzzed_server

MOST_GROWTH_MB = 64


def show(fuzzer: Fuzzer, number: int) -> bool:
    """Have one conversation, with its bytes; whether it went well."""
    conversation = fuzzer.grammar.conversation(number)
    for request in conversation.requests:
        print(f"{request.verdict.name:8} {request.label}\n         {request.raw[:600]!r}")
    print(f"in {len(conversation.pieces)} pieces; the client {conversation.ending.value}")
    fault, statuses = fuzzer.converse(conversation)
    print(f"answered with {statuses}: {fault or 'as it should be'}")
    return not fault


def main() -> None:
    """Fuzz for the time given, and end with 1 when something went wrong."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seconds", type=float, default=600, help="for how long (600)")
    parser.add_argument("--seed", default="gossamer", help="which conversations (gossamer)")
    parser.add_argument("--only", type=int, metavar="NUMBER", help="have this conversation alone")
    options = parser.parse_args()
    print(machine(), flush=True)
    with tempfile.TemporaryDirectory() as folder, fuzzed_server(Path(folder)) as (server, token):
        fuzzer = Fuzzer(server, token, options.seed)
        if options.only is not None:
            sys.exit(0 if show(fuzzer, options.only) else 1)
        result, cost, dearness = fuzzer.fuzz(options.seconds)
        is_alive = server.process.poll() is None
    statuses = ", ".join(f"{status}: {count:,}" for status, count in sorted(result.answers.items()))
    print(f"{result.conversations:,} conversations, {result.requests:,} requests; answers {statuses}")
    print(f"memory +{cost.growth_mb:.1f} MB, {cost.cpu_s / max(1, result.requests) * 1000:.2f} ms of CPU per request,")
    print(f"{dearness:.2f} times an ordinary one; the longest turn of the loop {cost.turn_s * 1000:.0f} ms of CPU")
    print(f"{len(result.faults)} faults, {cost.unanswered} times no sign of health")
    print(*(f"  {fault[:1000]}" for fault in result.faults), sep="\n")
    is_dear = cost.growth_mb > MOST_GROWTH_MB or cost.turn_s > TURN_S or dearness > TIMES_AS_DEAR
    if result.faults or cost.unanswered or not is_alive or is_dear:
        sys.exit(1)


if __name__ == "__main__":
    main()
