# The tap's formula, in which scripts/homebrew fills in version and checksums of a release.
class Ken < Formula
  desc "Find the right passage in your notes, by word and by meaning"
  homepage "https://github.com/kenning/kenning"
  version "0.1.0"
  license any_of: ["MIT", "Apache-2.0"]

  on_macos do
    on_arm do
      url "https://github.com/kenning/kenning/releases/download/v#{version}/ken-#{version}-aarch64-apple-darwin.tar.gz"
      sha256 "@sha256:aarch64-apple-darwin@"
    end
    on_intel do
      url "https://github.com/kenning/kenning/releases/download/v#{version}/ken-#{version}-x86_64-apple-darwin.tar.gz"
      sha256 "@sha256:x86_64-apple-darwin@"
    end
  end

  on_linux do
    on_arm do
      url "https://github.com/kenning/kenning/releases/download/v#{version}/ken-#{version}-aarch64-unknown-linux-musl.tar.gz"
      sha256 "@sha256:aarch64-unknown-linux-musl@"
    end
    on_intel do
      url "https://github.com/kenning/kenning/releases/download/v#{version}/ken-#{version}-x86_64-unknown-linux-musl.tar.gz"
      sha256 "@sha256:x86_64-unknown-linux-musl@"
    end
  end

  def install
    bin.install "ken"
    man1.install Dir["man/*.1"]
    bash_completion.install "completions/ken.bash" => "ken"
    zsh_completion.install "completions/ken.zsh" => "_ken"
    fish_completion.install "completions/ken.fish"
  end

  test do
    (testpath/"notes/roof.md").write "# Roof\n\nEsko repaired the north gutter.\n"
    assert_match "roof.md", shell_output("#{bin}/ken search --vault #{testpath}/notes gutter")
  end
end
