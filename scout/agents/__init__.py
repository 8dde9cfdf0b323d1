"""What agents may ask of Scout, by the Model Context Protocol; each answer says what it rests on and how old that is."""
