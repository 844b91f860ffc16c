"""Walls: pages that stand before the content (logins, paywalls, bot checks, soft 404s, script shells).

`collect_signs` looks at the untouched page, `look_at` at what its reader sees of it, `judge` decides.
"""

from gossamer.extractors.html.walls.bot_blocks import bot_block_in
from gossamer.extractors.html.walls.evidence import Shown, Signs, collect_signs, look_at
from gossamer.extractors.html.walls.script_shells import empty_page
from gossamer.extractors.html.walls.verdict import PAYWALL_MESSAGE, judge, may_be_paid

__all__ = [
    "PAYWALL_MESSAGE",
    "Shown",
    "Signs",
    "bot_block_in",
    "collect_signs",
    "empty_page",
    "judge",
    "look_at",
    "may_be_paid",
]
