"""Values to HTML, SVG and plots: no gradio components, no models, everything escaped once."""
