"""Training of checkpoints: self-play, learning, export to ONNX (command `train`)."""
