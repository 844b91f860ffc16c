"""Shadow roots that a page declares in its markup."""

from gossamer.extractors.tree import Element, is_element, words

_SHADOW = "shadowrootmode"


def open_shadows(root: Element) -> int:
    """Show declared shadow roots in place of what they stand before, which shows only through a slot.

    Returns how many parts with text that hides.
    """
    hidden = 0
    for shadow in [el for el in root.iter("template") if _SHADOW in el.attrib]:
        host = shadow.getparent()
        if host is None:
            continue
        if not any(True for _ in shadow.iter("slot")):
            hidden += bool((host.text or "").strip()) + bool((shadow.tail or "").strip())
            for child in [child for child in host if child is not shadow]:
                hidden += (is_element(child) and bool(words(child))) or bool((child.tail or "").strip())
                child.tail = ""
                child.drop_tree()
            host.text, shadow.tail = "", ""
        shadow.drop_tag()
    return hidden
