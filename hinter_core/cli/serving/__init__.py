"""Commands that let others reach HInter: a Space, and programs."""
