"""Generates docs/settings.md from the settings model."""

from collections.abc import Iterator

from gossamer.settings.display import allowed, default_of
from gossamer.settings.names import PROVIDERS, Key, env_name, fields, sections, usual_name

EXAMPLE = """\
data_dir = "~/gossamer"
tools = "core"

[search]
providers = ["searxng", "wikipedia"]

[providers.searxng]
base_url = "http://localhost:8888"

[net]
allow_private = ["localhost:3000", "10.1.0.0/16"]
block_domains = ["example.com"]
"""

_INTRODUCTION = f"""\
<!-- Generated from src/gossamer/settings; do not edit. -->
# Settings

Nothing has to be set. The environment overrides the settings file, which overrides the defaults; flags override all.
`gossamer settings` shows every value and where it came from.

- **The file** is `gossamer.toml`: the one named by `--config`, else by `GOSSAMER_CONFIG`, else the one in the system's
  folder for user configuration (`~/.config/gossamer/gossamer.toml` on Linux). A file in the working directory is
  never read. Relative paths in the file start at the file.
- **In the environment** a setting is `GOSSAMER_<SECTION>__<NAME>`; some have a second, usual name, over which ours
  wins. An empty variable counts as unset.
- **Lists** are words with commas between them, or a JSON list. **Switches** are true, false, yes, no, on, off, 1 or 0.
- **Secrets** in a provider's table (names like `api_key`) may stand in a file of their own:
  `GOSSAMER_PROVIDERS__<PROVIDER>__API_KEY_FILE` names it. They are never shown.
- **A mistake**, such as a name that does not exist, never keeps the stdio server from starting. Until it is corrected
  every call returns the reason; `gossamer settings` and `gossamer doctor` show it too.

```toml
{EXAMPLE}```
"""


def settings_page() -> str:
    """The page as it belongs into docs/; the same on every machine."""
    return "\n".join(_lines()) + "\n"


def _lines() -> Iterator[str]:
    yield _INTRODUCTION
    yield from _table(key for key in fields() if len(key) == 1)
    for section, about in sections().items():
        yield f"\n## [{section}]\n"
        yield f"{about}\n"
        if section == PROVIDERS:
            yield (
                "`[providers.searxng] base_url` is `GOSSAMER_PROVIDERS__SEARXNG__BASE_URL` in the environment, and "
                f"`{usual_name((PROVIDERS, 'searxng', 'base_url'))}` is its usual name."
            )
        else:
            yield from _table(key for key in fields() if key[0] == section and len(key) > 1)


def _table(keys: Iterator[Key]) -> Iterator[str]:
    yield "| Setting | Environment | Default | Must be | Meaning |"
    yield "|---|---|---|---|---|"
    for key in keys:
        about = fields()[key]
        names = " or ".join(f"`{name}`" for name in (env_name(key), usual_name(key)) if name)
        default = f"`{default_of(about)}`" if default_of(about) else ""
        yield f"| `{key[-1]}` | {names} | {default} | {allowed(about)} | {about.description} |"
