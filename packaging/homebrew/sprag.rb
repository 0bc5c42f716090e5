class Sprag < Formula
  desc "@DESCRIPTION@"
  homepage "@REPOSITORY@"
  version "@VERSION@"
  license any_of: ["MIT", "Apache-2.0"]

  on_macos do
    on_arm do
      url "@REPOSITORY@/releases/download/v@VERSION@/sprag-aarch64-apple-darwin.tar.gz"
      sha256 "@SHA256:sprag-aarch64-apple-darwin.tar.gz@"
    end
    on_intel do
      url "@REPOSITORY@/releases/download/v@VERSION@/sprag-x86_64-apple-darwin.tar.gz"
      sha256 "@SHA256:sprag-x86_64-apple-darwin.tar.gz@"
    end
  end
  on_linux do
    on_arm do
      url "@REPOSITORY@/releases/download/v@VERSION@/sprag-aarch64-unknown-linux-musl.tar.gz"
      sha256 "@SHA256:sprag-aarch64-unknown-linux-musl.tar.gz@"
    end
    on_intel do
      url "@REPOSITORY@/releases/download/v@VERSION@/sprag-x86_64-unknown-linux-musl.tar.gz"
      sha256 "@SHA256:sprag-x86_64-unknown-linux-musl.tar.gz@"
    end
  end

  def install
    bin.install "sprag"
    man1.install Dir["share/man/man1/*.1"]
    generate_completions_from_executable(bin/"sprag", "completions")
  end

  test do
    assert_match version.to_s, shell_output("#{bin}/sprag --version")
    system bin/"sprag", "demo"
  end
end
