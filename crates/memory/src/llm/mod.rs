//! A model, called by the worker through the agents own headless mode or an OpenAI-compatible endpoint.
