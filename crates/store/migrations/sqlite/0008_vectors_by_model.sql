-- The newest vector of a model, and those after a number: without it, all rows of other models in between are read, which
-- are as many as there are memories when a model was added later.
CREATE INDEX memory_vectors_by_model ON memory_vectors (model, number);
