; Imports are calls: see tags.scm.
