//! Homebrew: the formula, read by Ruby with a formula's own words, names an archive that is there, with its checksum.

use crate::{artefact, clean, dist, needs, ok};

/// What the words of a formula do, on Linux with this processor.
const WORDS: &str = r#"
class Formula
  class << self
    %i[desc homepage license].each { |word| define_method(word) { |*| } }
    def version(text = nil) = text ? @version = text : @version
    def on_macos = nil
    def on_linux = yield
    def on_arm = (yield if ENV["PROCESSOR"] == "aarch64")
    def on_intel = (yield if ENV["PROCESSOR"] == "x86_64")
    def url(text) = @url = text
    def sha256(text) = @sha256 = text
    def test = nil
    def told = puts([@version, @url, @sha256])
  end
end
load ARGV[0]
Sprag.told
"#;

#[test]
fn the_formula_names_the_archive_and_its_checksum() {
    if !needs("ruby") {
        return;
    }
    let home = tempfile::tempdir().unwrap();
    let formula = dist().join("sprag.rb");
    let checked = ok(clean("ruby", home.path()).arg("-c").arg(&formula));
    assert_eq!(checked.trim(), "Syntax OK");
    let told = ok(clean("ruby", home.path())
        .args(["-e", WORDS])
        .arg(&formula)
        .env("PROCESSOR", std::env::consts::ARCH));
    let [version, url, sum] = told.lines().collect::<Vec<_>>().try_into().unwrap();
    assert_eq!(version, env!("CARGO_PKG_VERSION"));
    let archive = artefact("linux-musl.tar.gz");
    let name = archive.file_name().unwrap().to_string_lossy();
    assert!(url.ends_with(&format!("/v{version}/{name}")), "{url}");
    let real = ok(clean("sha256sum", home.path()).arg(&archive));
    assert_eq!(Some(sum), real.split_whitespace().next());
}
