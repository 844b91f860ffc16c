"""What a control, an animation or a script shows later: tabs, disclosure widgets, preloaders."""
