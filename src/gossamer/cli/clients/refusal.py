"""Why a file is left alone."""


class Refused(Exception):
    """The end of a sentence that begins with the file's name; nothing was changed."""
