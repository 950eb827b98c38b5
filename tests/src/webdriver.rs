//! A headless Chromium, driven over the WebDriver protocol: just the few commands that the tests of the pages use.

use crate::client::{self, Request};
use base64::{Engine, engine::general_purpose::STANDARD};
use serde_json::{Value, json};
use std::{
    env,
    net::{Ipv4Addr, SocketAddr, TcpListener},
    process::{Child, Command, Stdio},
    thread,
    time::{Duration, Instant},
};
use tempfile::TempDir;

/// The member that holds an element's reference, fixed by the WebDriver standard.
const ELEMENT: &str = "element-6066-11e4-a52e-4f735466cecf";

/// A browser session. Dropping it ends the browser and its driver.
#[derive(Debug)]
pub struct Browser {
    driver: Child,
    address: SocketAddr,
    session: String,
    profile: Option<TempDir>,
}

/// The paths of browser and driver, as `scripts/browser.sh` found them; `None` when this machine has none.
pub fn installed() -> Option<(String, String)> {
    Some((env::var("DJO_TEST_BROWSER").ok()?, env::var("DJO_TEST_DRIVER").ok()?))
}

impl Browser {
    /// Starts a browser whose pages are `width` × `height` CSS pixels; `phone`: with touch and a double-density screen.
    ///
    /// # Errors
    /// When browser or driver do not start.
    pub fn start((browser, driver): &(String, String), width: u32, height: u32, phone: bool) -> Result<Self, String> {
        let profile = tempfile::tempdir().map_err(|error| format!("profile: {error}"))?;
        let address =
            TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).and_then(|socket| socket.local_addr()).map_err(|error| error.to_string())?;
        let child = Command::new(driver)
            .arg(format!("--port={}", address.port()))
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .map_err(|error| format!("{driver}: {error}"))?;
        let mut started = Self { driver: child, address, session: String::new(), profile: None };
        started.wait_for_driver()?;
        let mut options = json!({ "binary": browser, "args": flags(&profile, width, height) });
        if phone {
            options["mobileEmulation"] = json!({"deviceMetrics": {"width": width, "height": height, "pixelRatio": 2.0, "touch": true}});
        }
        let wanted = json!({"capabilities": {"alwaysMatch": {"browserName": "chrome", "goog:chromeOptions": options}}});
        let answer = started.call("POST", "/session", &wanted)?;
        started.session = answer["sessionId"].as_str().ok_or("the driver gave no session")?.to_owned();
        started.profile = Some(profile);
        Ok(started)
    }

    /// Opens an address and waits until it has loaded.
    pub fn open(&self, url: &str) -> Result<(), String> {
        self.command("POST", "url", &json!({ "url": url })).map(drop)
    }

    /// Where the browser is now.
    pub fn url(&self) -> Result<String, String> {
        Ok(self.command("GET", "url", &Value::Null)?.as_str().unwrap_or_default().to_owned())
    }

    /// Clicks the first element that matches a CSS selector. The page it leads to may come later: [`Browser::wait_for`].
    pub fn click(&self, selector: &str) -> Result<(), String> {
        let element = self.find(selector)?;
        self.command("POST", &format!("element/{element}/click"), &json!({})).map(drop)
    }

    /// Types into an element.
    pub fn type_into(&self, selector: &str, text: &str) -> Result<(), String> {
        let element = self.find(selector)?;
        self.command("POST", &format!("element/{element}/value"), &json!({ "text": text })).map(drop)
    }

    /// The visible text of an element.
    pub fn text(&self, selector: &str) -> Result<String, String> {
        let element = self.find(selector)?;
        Ok(self.command("GET", &format!("element/{element}/text"), &Value::Null)?.as_str().unwrap_or_default().to_owned())
    }

    /// Waits until an element's text contains `part`, and answers that text.
    ///
    /// # Errors
    /// When it does not within ten seconds: with what is there instead.
    pub fn wait_for(&self, selector: &str, part: &str) -> Result<String, String> {
        let start = Instant::now();
        loop {
            let seen = self.text(selector);
            if seen.as_ref().is_ok_and(|text| text.contains(part)) {
                return seen;
            }
            if start.elapsed() > Duration::from_secs(10) {
                return Err(format!("{selector} should contain {part:?}, is {seen:?}"));
            }
            thread::sleep(Duration::from_millis(50));
        }
    }

    /// Runs a script in the page and answers what it returns.
    pub fn execute(&self, script: &str) -> Result<Value, String> {
        self.command("POST", "execute/sync", &json!({"script": script, "args": []}))
    }

    /// A PNG of the viewport.
    pub fn screenshot(&self) -> Result<Vec<u8>, String> {
        let encoded = self.command("GET", "screenshot", &Value::Null)?;
        STANDARD.decode(encoded.as_str().unwrap_or_default()).map_err(|error| error.to_string())
    }

    fn find(&self, selector: &str) -> Result<String, String> {
        let found = self.command("POST", "element", &json!({"using": "css selector", "value": selector}))?;
        found[ELEMENT].as_str().map(str::to_owned).ok_or_else(|| format!("no element {selector}"))
    }

    fn command(&self, method: &str, command: &str, body: &Value) -> Result<Value, String> {
        self.call(method, &format!("/session/{}/{command}", self.session), body)
    }

    fn call(&self, method: &str, path: &str, body: &Value) -> Result<Value, String> {
        let body = (!body.is_null()).then(|| body.to_string().into_bytes());
        let request =
            Request { method: method.into(), path: path.into(), headers: Vec::new(), body }.header("Content-Type", "application/json");
        let response = client::send(self.address, &request).map_err(|error| format!("driver: {error}"))?;
        let mut answer: Value = serde_json::from_slice(&response.body).map_err(|error| format!("driver: {error}"))?;
        match response.status {
            200 => Ok(answer["value"].take()),
            _ => Err(format!("{method} {path}: {}", answer["value"]["message"].as_str().unwrap_or_default())),
        }
    }

    fn wait_for_driver(&mut self) -> Result<(), String> {
        let start = Instant::now();
        while start.elapsed() < Duration::from_secs(20) {
            if self.call("GET", "/status", &Value::Null).is_ok_and(|status| status["ready"] == true) {
                return Ok(());
            }
            thread::sleep(Duration::from_millis(50));
        }
        Err("the driver did not start within 20 s".into())
    }
}

impl Drop for Browser {
    fn drop(&mut self) {
        // Ending the session ends the browser; the driver is this process's child and is stopped in any case.
        if !self.session.is_empty() {
            let _ = self.call("DELETE", &format!("/session/{}", self.session), &Value::Null);
        }
        let _ = self.driver.kill();
        let _ = self.driver.wait();
    }
}

/// Nothing of the network but the pages under test, and no sandbox of its own, which root cannot have.
fn flags(profile: &TempDir, width: u32, height: u32) -> Vec<String> {
    let fixed = [
        "--headless",
        "--no-sandbox",
        "--disable-gpu",
        "--disable-quic",
        "--disable-dev-shm-usage",
        "--no-first-run",
        "--disable-background-networking",
        "--disable-component-update",
        "--disable-sync",
        // Smooth scrolling would still move the page while it is clicked.
        "--force-prefers-reduced-motion",
        "--hide-scrollbars",
        "--lang=pt-BR",
    ];
    let mut flags: Vec<String> = fixed.map(str::to_owned).into();
    flags.push(format!("--user-data-dir={}", profile.path().display()));
    flags.push(format!("--window-size={width},{height}"));
    flags
}
