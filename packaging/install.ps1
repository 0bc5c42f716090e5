# Installs sprag from a release: fetches the archive for Windows, compares its checksum, puts the binary in place.
#   irm @REPOSITORY@/releases/latest/download/install.ps1 | iex
# $env:SPRAG_VERSION takes that version instead of the latest, $env:SPRAG_PREFIX installs to its folder bin instead of
# ~\.local\bin, $env:SPRAG_BASE_URL takes the files of a mirror. Nothing else is changed: `sprag init` comes next.
$ErrorActionPreference = "Stop"
Set-StrictMode -Version Latest

function Install-Sprag {
    $repository = "@REPOSITORY@"
    $prefix = if ($env:SPRAG_PREFIX) { $env:SPRAG_PREFIX } else { Join-Path $HOME ".local" }
    $base = if ($env:SPRAG_BASE_URL) { $env:SPRAG_BASE_URL.TrimEnd("/") }
    elseif ($env:SPRAG_VERSION) { "$repository/releases/download/v$($env:SPRAG_VERSION.TrimStart('v'))" }
    else { "$repository/releases/latest/download" }
    if ($base -notmatch "^(https://|http://(127\.0\.0\.1|localhost):)") { throw "$base is not an https address" }
    $target = "x86_64-pc-windows-msvc"
    $archive = "sprag-$target.zip"

    $scratch = Join-Path ([IO.Path]::GetTempPath()) ([IO.Path]::GetRandomFileName())
    New-Item -ItemType Directory -Path $scratch | Out-Null
    try {
        $sums = Join-Path $scratch "SHA256SUMS"
        Invoke-WebRequest -UseBasicParsing "$base/SHA256SUMS" -OutFile $sums
        $line = Get-Content $sums | Where-Object { $_ -match "\s\*?$([regex]::Escape($archive))$" } | Select-Object -First 1
        if (-not $line) { throw "the release at $base has no $archive" }
        $wanted = ($line -split "\s+")[0]
        $file = Join-Path $scratch $archive
        Invoke-WebRequest -UseBasicParsing "$base/$archive" -OutFile $file
        $found = (Get-FileHash -Algorithm SHA256 $file).Hash
        if ($found -ne $wanted) { throw "the checksum of $archive is $found, not $wanted; nothing was installed" }

        Expand-Archive $file -DestinationPath (Join-Path $scratch "unpacked")
        $bin = Join-Path $prefix "bin"
        $share = Join-Path $prefix "share\sprag"
        New-Item -ItemType Directory -Force -Path $bin, $share | Out-Null
        $exe = Join-Path $bin "sprag.exe"
        # A running program can be renamed, not overwritten.
        if (Test-Path $exe) { Move-Item -Force $exe "$exe.old" }
        Move-Item (Join-Path $scratch "unpacked\sprag.exe") $exe
        Remove-Item -ErrorAction SilentlyContinue "$exe.old"
        [IO.File]::WriteAllText((Join-Path $share "installed.json"), "{""channel"": ""script"", ""base"": ""$base"", ""target"": ""$target""}`n")
        "installed $exe ($(& $exe --version))"
        if (($env:PATH -split ";") -notcontains $bin) { "  $bin is not on PATH" }
        "  next: sprag init"
    }
    finally { Remove-Item -Recurse -Force $scratch }
}

# Last, so that a script that was cut off does nothing.
Install-Sprag
