"""`python -m gossamer` is the command `gossamer`."""

from gossamer.front import main

if __name__ == "__main__":
    main()
