//! What the host is asked to send with every page, in the `_headers` file that several static hosts read.

/// The content security policy for a `<meta http-equiv>`: everything from our own files, nothing within pages, nothing from
/// elsewhere.
pub const CSP_META: &str = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; font-src 'self'; connect-src 'self'; \
                            form-action 'self'; base-uri 'none'; manifest-src 'self'";

/// The content security policy as a header, where it can also forbid to be framed.
pub const CSP: &str = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; font-src 'self'; connect-src 'self'; \
                       form-action 'self'; base-uri 'none'; manifest-src 'self'; frame-ancestors 'none'";

/// Headers of every page, by name.
pub const EVERYWHERE: &[(&str, &str)] = &[
    ("Content-Security-Policy", CSP),
    ("Strict-Transport-Security", "max-age=63072000; includeSubDomains"),
    ("X-Content-Type-Options", "nosniff"),
    ("Referrer-Policy", "no-referrer"),
    ("Permissions-Policy", "camera=(), geolocation=(), microphone=(), payment=(), usb=(), browsing-topics=()"),
    ("Cross-Origin-Opener-Policy", "same-origin"),
];

/// Other headers, by path: names with a hash never change; badges and data may be used by other sites.
const SOMEWHERE: &[(&str, &[(&str, &str)])] = &[
    ("/assets/*", &[("Cache-Control", "public, max-age=31536000, immutable")]),
    ("/*.json", &[("Access-Control-Allow-Origin", "*")]),
    ("/*.svg", &[("Access-Control-Allow-Origin", "*")]),
];

/// The `_headers` file.
pub fn headers() -> String {
    let mut out = String::new();
    let mut section = |path: &str, headers: &[(&str, &str)]| {
        out.push_str(path);
        out.push('\n');
        for (name, value) in headers {
            out.push_str(&format!("  {name}: {value}\n"));
        }
    };
    section("/*", EVERYWHERE);
    for (path, headers) in SOMEWHERE {
        section(path, headers);
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_policies_are_the_same_but_for_framing() {
        assert_eq!(CSP, format!("{CSP_META}; frame-ancestors 'none'"));
        assert!(headers().starts_with("/*\n  Content-Security-Policy: default-src 'none'; script-src 'self';"));
        assert!(!headers().contains("unsafe"));
    }
}
