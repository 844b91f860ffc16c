"""Which lane of a parallel run takes which files of tests, and which it takes first."""

from xdist.scheduler import LoadFileScheduling

LONGEST = (
    "hostile/test_request_smuggling.py",
    "real/test_reading_floors.py",
    "real/test_extraction_quality.py",
    "hostile/test_http_stalls.py",
    "hostile/test_parsing.py",
    "hostile/test_robots_cost.py",
    "real/test_wheel.py",
    "hostile/test_hostile_server.py",
    "real/test_documentation_site.py",
    "real/test_cli.py",
    "real/test_stopped_holders.py",
    "real/test_http.py",
    "real/test_searxng_engines.py",
    "real/test_searxng.py",
    "real/test_library_rescue.py",
    "real/test_store_bad_days.py",
    "real/test_duckdb_store.py",
    "real/test_store_commands_waiting.py",
    "real/test_workflows.py",
    "real/test_conformance.py",
    "real/test_typescript_client.py",
    "real/test_read_from_page.py",
    "real/test_front.py",
    "real/test_search_web.py",
    "hostile/test_sandbox.py",
    "hostile/test_own_site.py",
    "hostile/test_http_cases.py",
    "hostile/test_injection_cases.py",
)
"""Files that take long: begun last, one of them would go on in its lane while the others stand idle."""
TOGETHER = {"tests/real/test_searxng_path.py": "tests/real/test_searxng.py"}
"""Files that share a server which takes long to start: one lane starts it once."""


class FilesInLanes(LoadFileScheduling):
    """Gives whole files to lanes in the order in which they were collected, whatever the number of their tests."""

    def _split_scope(self, nodeid: str) -> str:
        file = super()._split_scope(nodeid)
        return TOGETHER.get(file, file)


def place_of(file: str) -> int:
    """Where a file belongs in the order of all files: a long one before those that are not named above."""
    return next((place for place, name in enumerate(LONGEST) if file.endswith(name)), len(LONGEST))
