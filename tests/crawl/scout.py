"""`scout`, as a module that a warm process can be forked for: a program is called what its file is called."""

from scout.command_line.main import main

if __name__ == "__main__":
    main()
