//! Shared
