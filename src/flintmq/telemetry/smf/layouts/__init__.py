"""The layouts, one file per structure, as the manual names them. How they are written: ../fields.py."""
