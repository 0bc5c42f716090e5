//! Corners of the language, each read by eye and by the parser.
