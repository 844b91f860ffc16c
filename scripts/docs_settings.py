"""Print docs/settings.md."""

from gossamer.settings.reference import settings_page

if __name__ == "__main__":
    print(settings_page(), end="")
