"""Figures of records and counts: one script a figure, one frame for all.

They read records through ``evidence`` alone, so a figure, a table and a page say the same. Needs
matplotlib, which requirements-site.txt brings.

- ``figures``   the figures, a module each: what it states, and how it is drawn
- ``registry``  finds them
- ``catalogue`` those of a ladder, and what each is drawn of
- ``series``    a record as the figures read it
- ``subjects``  a size sweep and a ladder's counts, as they read these
- ``story``     what a figure states: title, alt text, table of values
- ``style``     palettes, variants, hatches and marks
- ``frame``     title, panels, legend and notes on one sheet, without a cut or an overlap
- ``accesses``  accesses of the rungs as index functions, held against the counts
- ``cells``     rows of cells; ``bank_maps`` and ``sector_maps`` are made of them
- ``schematic`` a sheet in inches to draw on
- ``files``     SVG, PNG, JSON and Markdown that are the same bytes each time
- ``__main__``  the command line
"""
