// Empty on purpose.
