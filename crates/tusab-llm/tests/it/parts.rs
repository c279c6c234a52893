//! The client against real parts from outside: the vendors' specifications and SDKs, a mock that speaks every provider's
//! form, llama.cpp's server with a small model, and real vocabularies. `scripts/test.sh` fetches and runs them.

mod child;
mod llama;
mod recorded;
mod requests;
mod responses;
mod tokens;
mod vectors;
mod words;
