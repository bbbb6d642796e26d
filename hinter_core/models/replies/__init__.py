"""Reading of replies of generative models: reasoning, marked answers, labels in words."""
