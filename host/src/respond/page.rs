//! The small pages that people see where the site has none of its own.

use http::StatusCode;

use crate::text::escape_html;

/// A page for a status. What broke (`detail`) and the source around it (`place`) are for the author alone: pass them only with `--dev`.
pub(super) fn page(status: StatusCode, message: &str, detail: Option<&str>, place: Option<&str>) -> String {
    let title = match status {
        StatusCode::BAD_REQUEST => "Pedido inválido",
        StatusCode::NOT_FOUND => "Página não encontrada",
        StatusCode::METHOD_NOT_ALLOWED => "Método não permitido",
        StatusCode::NOT_ACCEPTABLE => "Formato não disponível",
        StatusCode::PAYLOAD_TOO_LARGE => "Envio grande demais",
        StatusCode::URI_TOO_LONG => "Endereço longo demais",
        StatusCode::GATEWAY_TIMEOUT => "A página demorou demais",
        StatusCode::SERVICE_UNAVAILABLE | StatusCode::TOO_MANY_REQUESTS => "Ocupado: tente de novo em instantes",
        _ if status.is_client_error() => "Pedido recusado",
        _ => "Algo deu errado",
    };
    let mut message = message.to_owned();
    if let Some(first) = message.get(..1) {
        let upper = first.to_uppercase();
        message.replace_range(..1, &upper);
    }
    let boxed = |text: Option<&str>| text.map(|text| format!("\n<pre>{}</pre>", escape_html(text))).unwrap_or_default();
    let (detail, place) = (boxed(detail), boxed(place));
    format!(
        "<!doctype html>\n<html lang=\"pt-BR\">\n<head><meta charset=\"utf-8\"><meta name=\"viewport\" content=\"width=device-width\">\
<title>{title}</title>\n<style>:root{{color-scheme:light dark}}body{{font:1.1rem/1.6 system-ui,sans-serif;max-width:36rem;margin:15vh auto;padding:0 1.5rem}}\
h1{{font-size:1.6rem}}p{{opacity:.8}}pre{{white-space:pre-wrap;overflow-wrap:anywhere}}</style></head>\n\
<body><h1>{title}</h1>\n<p>{message}.</p>{detail}{place}\n</body>\n</html>\n",
        message = escape_html(&message),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn says_what_and_escapes() {
        let page = page(StatusCode::NOT_FOUND, "não <achei>", Some("<b>"), Some("> 1 | a"));
        assert!(page.contains("<h1>Página não encontrada</h1>"));
        assert!(page.contains("Não &lt;achei&gt;."));
        assert!(page.contains("<pre>&lt;b&gt;</pre>\n<pre>&gt; 1 | a</pre>"));
    }

    #[test]
    fn a_first_letter_of_two_bytes_stays() {
        assert!(page(StatusCode::BAD_REQUEST, "é assim", None, None).contains("<p>é assim.</p>"));
    }
}
