"""What generative models are asked, and how a reply is read."""
