//! TLS to the server. Certificates are always verified: against a given file, else against the system's authorities.

use crate::error::{Error, Result};
use rustls::pki_types::CertificateDer;
use rustls::pki_types::pem::PemObject as _;
use rustls::{ClientConfig, RootCertStore};
use std::path::Path;
use std::sync::Arc;
use tokio_postgres_rustls::MakeRustlsConnect;

pub(crate) fn connector(root_cert: Option<&Path>) -> Result<MakeRustlsConnect> {
    let mut roots = RootCertStore::empty();
    match root_cert {
        Some(path) => {
            let unusable = |error: &dyn std::fmt::Display| {
                Error::Url(format!("store.url: sslrootcert {}: {error}", path.display()))
            };
            for cert in CertificateDer::pem_file_iter(path).map_err(|error| unusable(&error))? {
                let cert = cert.map_err(|error| unusable(&error))?;
                roots.add(cert).map_err(|error| unusable(&error))?;
            }
        }
        None => {
            // System certificates that cannot be read are ignored.
            roots.add_parsable_certificates(rustls_native_certs::load_native_certs().certs);
        }
    }
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let config = ClientConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .map_err(|error| Error::Url(error.to_string()))?
        .with_root_certificates(roots)
        .with_no_client_auth();
    Ok(MakeRustlsConnect::new(config))
}
