"""Tell whether the live app still answers as it was recorded (D12)."""
