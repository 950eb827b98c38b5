//! A small blocking HTTP/1.1 client that sends exactly the bytes it is told to: unnormalised paths, odd headers, slow bodies.

use std::{
    io::{self, Read, Write},
    net::{SocketAddr, TcpStream},
    time::Duration,
};

/// How long a connection may be silent before it counts as broken.
const PATIENCE: Duration = Duration::from_secs(30);

/// A request as it goes on the wire; `Host`, `Content-Length` and `Connection: close` are added where missing.
#[derive(Clone, Debug, Default)]
pub struct Request {
    /// `GET` when empty.
    pub method: String,
    /// The request target, sent as it stands.
    pub path: String,
    /// Names and values, sent in this order.
    pub headers: Vec<(String, String)>,
    /// The body; `None` sends no `Content-Length` either.
    pub body: Option<Vec<u8>>,
}

impl Request {
    /// A `GET` of a path.
    pub fn get(path: &str) -> Self {
        Self { path: path.to_owned(), ..Self::default() }
    }

    /// A `POST` of a JSON text.
    pub fn post_json(path: &str, json: &str) -> Self {
        Self { method: "POST".into(), path: path.to_owned(), body: Some(json.as_bytes().to_vec()), ..Self::default() }
            .header("Content-Type", "application/json")
    }

    /// The same request with one more header.
    #[must_use]
    pub fn header(mut self, name: &str, value: &str) -> Self {
        self.headers.push((name.to_owned(), value.to_owned()));
        self
    }

    /// The head as bytes, blank line included.
    pub fn head(&self, address: SocketAddr) -> String {
        let method = if self.method.is_empty() { "GET" } else { &self.method };
        let mut head = format!("{method} {} HTTP/1.1\r\n", self.path);
        let given = |name: &str| self.headers.iter().any(|(n, _)| n.eq_ignore_ascii_case(name));
        if !given("host") {
            head.push_str(&format!("Host: {address}\r\n"));
        }
        for (name, value) in &self.headers {
            head.push_str(&format!("{name}: {value}\r\n"));
        }
        match &self.body {
            Some(body) if !given("content-length") => head.push_str(&format!("Content-Length: {}\r\n", body.len())),
            None if method == "POST" && !given("content-length") => head.push_str("Content-Length: 0\r\n"),
            _ => {}
        }
        if !given("connection") {
            head.push_str("Connection: close\r\n");
        }
        head + "\r\n"
    }
}

/// Sends a request whose answer the caller reads.
///
/// # Errors
/// When nobody listens.
pub fn open(address: SocketAddr, request: &Request) -> io::Result<TcpStream> {
    let mut stream = connect(address)?;
    let bytes = [request.head(address).into_bytes(), request.body.clone().unwrap_or_default()].concat();
    stream.write_all(&bytes)?;
    Ok(stream)
}

/// A response, read to its end.
#[derive(Clone, Debug)]
pub struct Response {
    /// The status code.
    pub status: u16,
    /// Names in lower case and values, in the order they came.
    pub headers: Vec<(String, String)>,
    /// The body, decoded from chunks where it came in chunks.
    pub body: Vec<u8>,
}

impl Response {
    /// The values of a header joined by `, `; `None` when it is absent.
    pub fn header(&self, name: &str) -> Option<String> {
        let values: Vec<&str> = self.headers.iter().filter(|(n, _)| n.eq_ignore_ascii_case(name)).map(|(_, v)| v.as_str()).collect();
        (!values.is_empty()).then(|| values.join(", "))
    }

    /// The body as text, with U+FFFD for what is not UTF-8.
    pub fn text(&self) -> String {
        String::from_utf8_lossy(&self.body).into_owned()
    }
}

/// Opens a connection with the time-outs of this client.
pub fn connect(address: SocketAddr) -> io::Result<TcpStream> {
    let stream = TcpStream::connect_timeout(&address, PATIENCE)?;
    stream.set_read_timeout(Some(PATIENCE))?;
    stream.set_write_timeout(Some(PATIENCE))?;
    stream.set_nodelay(true)?;
    Ok(stream)
}

/// Sends a request on a connection of its own and reads the whole answer.
pub fn send(address: SocketAddr, request: &Request) -> io::Result<Response> {
    read_response(&mut open(address, request)?, &request.method)
}

/// Reads one response; `method` tells whether a body can follow. Interim (1xx) responses are passed over.
pub fn read_response(stream: &mut impl Read, method: &str) -> io::Result<Response> {
    let mut buffer = Vec::new();
    loop {
        let (status, headers, length) = loop {
            if let Some(head) = parse_head(&buffer)? {
                break head;
            }
            fill(stream, &mut buffer)?;
        };
        buffer.drain(..length);
        if (100..200).contains(&status) {
            continue;
        }
        let response = Response { status, headers, body: Vec::new() };
        let bodiless = method == "HEAD" || status == 204 || status == 304;
        let body = if bodiless { Vec::new() } else { read_body(stream, buffer, &response)? };
        return Ok(Response { body, ..response });
    }
}

type Head = (u16, Vec<(String, String)>, usize);

fn parse_head(buffer: &[u8]) -> io::Result<Option<Head>> {
    let mut storage = [httparse::EMPTY_HEADER; 128];
    let mut parsed = httparse::Response::new(&mut storage);
    match parsed.parse(buffer).map_err(|error| invalid(&format!("response head: {error}")))? {
        httparse::Status::Partial => Ok(None),
        httparse::Status::Complete(length) => {
            let headers = parsed.headers.iter().map(|h| (h.name.to_ascii_lowercase(), String::from_utf8_lossy(h.value).into_owned()));
            Ok(Some((parsed.code.unwrap_or_default(), headers.collect(), length)))
        }
    }
}

fn read_body(stream: &mut impl Read, mut buffer: Vec<u8>, response: &Response) -> io::Result<Vec<u8>> {
    if response.header("transfer-encoding").is_some_and(|v| v.eq_ignore_ascii_case("chunked")) {
        return read_chunks(stream, buffer);
    }
    if let Some(length) = response.header("content-length") {
        let length: usize = length.parse().map_err(|_| invalid("content-length is not a number"))?;
        while buffer.len() < length {
            fill(stream, &mut buffer)?;
        }
        buffer.truncate(length);
        return Ok(buffer);
    }
    stream.read_to_end(&mut buffer)?;
    Ok(buffer)
}

fn read_chunks(stream: &mut impl Read, mut buffer: Vec<u8>) -> io::Result<Vec<u8>> {
    let mut body = Vec::new();
    loop {
        let line = loop {
            if let Some(end) = buffer.windows(2).position(|pair| pair == b"\r\n") {
                break end;
            }
            fill(stream, &mut buffer)?;
        };
        let size = String::from_utf8_lossy(&buffer[..line]).split(';').next().unwrap_or_default().trim().to_owned();
        let size = usize::from_str_radix(&size, 16).map_err(|_| invalid("chunk size is not a number"))?;
        buffer.drain(..line + 2);
        while buffer.len() < size + 2 {
            fill(stream, &mut buffer)?;
        }
        body.extend_from_slice(&buffer[..size]);
        buffer.drain(..size + 2);
        if size == 0 {
            return Ok(body);
        }
    }
}

fn fill(stream: &mut impl Read, buffer: &mut Vec<u8>) -> io::Result<()> {
    let mut piece = [0; 16 * 1024];
    match stream.read(&mut piece)? {
        0 => Err(io::Error::new(io::ErrorKind::UnexpectedEof, "the server closed the connection in the middle of an answer")),
        n => {
            buffer.extend_from_slice(&piece[..n]);
            Ok(())
        }
    }
}

fn invalid(message: &str) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, message.to_owned())
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn reads_chunks_and_passes_over_interim_responses() {
        let wire = b"HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nX-A: 1\r\nX-a: 2\r\n\r\n4;x=y\r\ndjo!\r\n3\r\n\r\nb\r\n0\r\n\r\n";
        let response = read_response(&mut &wire[..], "GET").unwrap();
        assert_eq!((response.status, response.text().as_str()), (200, "djo!\r\nb"));
        assert_eq!(response.header("x-a").as_deref(), Some("1, 2"));
    }

    #[test]
    fn a_body_cut_short_is_an_error() {
        let wire = b"HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nabc";
        assert_eq!(read_response(&mut &wire[..], "GET").unwrap_err().kind(), io::ErrorKind::UnexpectedEof);
    }
}
