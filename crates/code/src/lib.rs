//! The shape of source code: languages, outlines, calls, flow, the symbol index.
