{
  description = "Kenning finds the right passage in your notes, by word and by meaning, on your own machine";

  inputs.nixpkgs.url = "github:NixOS/nixpkgs/nixos-unstable";

  outputs = { self, nixpkgs }:
    let
      systems = [ "x86_64-linux" "aarch64-linux" "x86_64-darwin" "aarch64-darwin" ];
      each = make: nixpkgs.lib.genAttrs systems (system: make nixpkgs.legacyPackages.${system});
    in
    {
      packages = each (pkgs: rec {
        ken = pkgs.rustPlatform.buildRustPackage {
          pname = "ken";
          version = "0.1.0";
          src = self;
          cargoLock.lockFile = ./Cargo.lock;
          cargoBuildFlags = [ "-p" "ken" ];
          buildType = "dist";
          # The tests want a browser, a database and a model server; `scripts/test` runs them.
          doCheck = false;
          nativeBuildInputs = [ pkgs.installShellFiles ];
          postInstall = ''
            $out/bin/ken man man
            installManPage man/*
            for shell in bash zsh fish; do
              $out/bin/ken completions $shell > ken.$shell
            done
            installShellCompletion --cmd ken --bash ken.bash --zsh ken.zsh --fish ken.fish
          '';
          meta = {
            description = "Search your notes by word and by meaning";
            license = with pkgs.lib.licenses; [ mit asl20 ];
            mainProgram = "ken";
          };
        };
        default = ken;
      });

      devShells = each (pkgs: {
        default = pkgs.mkShell {
          packages = with pkgs; [ cargo rustc clippy rustfmt cargo-nextest cargo-deny nodejs python3 tmux ];
        };
      });
    };
}
