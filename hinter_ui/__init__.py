"""HInter's browser interface; gradio lives here and nowhere else."""
