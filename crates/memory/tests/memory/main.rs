//! Knowledge and recall, without the program around them.

mod knowledge;
mod library;
mod recall_quality;
