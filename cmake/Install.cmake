# Filled in by the install rules.
