{
  description = "sprag: guardrails, checks and memory for coding agents";
  inputs.nixpkgs.url = "github:NixOS/nixpkgs/nixos-unstable";
  outputs =
    { self, nixpkgs }:
    let
      manifest = (builtins.fromTOML (builtins.readFile ./Cargo.toml)).workspace.package;
      systems = [ "x86_64-linux" "aarch64-linux" "x86_64-darwin" "aarch64-darwin" ];
      each = nixpkgs.lib.genAttrs systems;
    in
    {
      packages = each (
        system:
        let
          pkgs = nixpkgs.legacyPackages.${system};
        in
        {
          default = pkgs.rustPlatform.buildRustPackage {
            pname = "sprag";
            version = manifest.version;
            src = self;
            cargoLock.lockFile = ./Cargo.lock;
            buildType = "dist";
            cargoBuildFlags = [ "--package" "sprag" ];
            # The tests need the real agents and a database server: `cargo xtask test`.
            doCheck = false;
            nativeBuildInputs = [ pkgs.installShellFiles ];
            postInstall = ''
              installShellCompletion --cmd sprag \
                --bash <($out/bin/sprag completions bash) \
                --zsh <($out/bin/sprag completions zsh) \
                --fish <($out/bin/sprag completions fish)
              $out/bin/sprag man $out/share/man/man1
            '';
            meta = {
              description = "Guardrails, checks and memory for coding agents";
              homepage = manifest.repository;
              license = with pkgs.lib.licenses; [ mit asl20 ];
              mainProgram = "sprag";
            };
          };
        }
      );
      apps = each (system: {
        default = { type = "app"; program = "${self.packages.${system}.default}/bin/sprag"; };
      });
    };
}
