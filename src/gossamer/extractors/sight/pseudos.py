"""The names of states, places and generated content that selectors know."""

OLD_GENERATED = frozenset({"before", "after", "first-line", "first-letter"})
"""Generated content that old sheets name with one colon."""
_GENERATED_NAMES = (
    "before after first-line first-letter placeholder selection marker backdrop file-selector-button cue slotted part "
    "highlight grammar-error spelling-error target-text view-transition view-transition-group view-transition-old "
    "view-transition-image-pair view-transition-new details-content scroll-marker scroll-marker-group scroll-button "
    "column picker picker-icon checkmark"
)
GENERATED = frozenset(_GENERATED_NAMES.split())
LISTS = frozenset({"is", "where", "matches", "-webkit-any", "-moz-any", "not", "has"})
COUNTED = frozenset({"nth-child", "nth-last-child", "nth-of-type", "nth-last-of-type"})
_NEVER_NAMES = (
    "hover active focus focus-within focus-visible target target-within visited "
    "user-invalid user-valid popover-open modal fullscreen playing autofill -webkit-autofill current past future "
    "host host-context state muted paused seeking stalled buffering volume-locked picture-in-picture "
    "out-of-range -webkit-full-screen -webkit-any-link target-current has-slotted xr-overlay "
    "active-view-transition active-view-transition-type"
)
_ALWAYS_NAMES = (
    "defined scope any-link link enabled valid read-only read-write root empty first-child last-child only-child"
    " first-of-type last-of-type only-of-type disabled required optional dir lang checked open"
    " placeholder-shown default in-range indeterminate invalid heading"
)
NEVER = frozenset(_NEVER_NAMES.split())
"""States that nothing is in when a page has loaded and nobody has touched it."""
KNOWN = NEVER | frozenset(_ALWAYS_NAMES.split())
