//! Any list of rows as a table: another's reader reads back the very cells.
#![no_main]

use std::sync::OnceLock;

use djo_contract::json::RESULT;
use djo_contract::model::Contract;
use djo_contract::table::{Mode, Table};
use djo_lang::Sources;
use libfuzzer_sys::fuzz_target;

fn contract() -> &'static Contract {
    static CONTRACT: OnceLock<Contract> = OnceLock::new();
    CONTRACT.get_or_init(|| {
        let sources = Sources::default()
            .with("rotas.djo", "Route.get:\"/\":{\"agent\": \"a.djo\", \"returns\": [\"P\"]}\n")
            .with("core/p.djo", "struct P\n    a[String]\n    b[String]\n")
            .with("a.djo", "Http.json:[]\n");
        djo_lang::compile(&sources).unwrap_or_else(|failed| panic!("{:?}", failed.diagnostics)).contract
    })
}

fuzz_target!(|cells: Vec<(String, String)>| {
    let contract = contract();
    let items: Vec<_> = cells.iter().map(|(a, b)| serde_json::json!({"a": a, "b": b})).collect();
    let json = serde_json::Value::from(items).to_string();
    let table = |mode| {
        Table::new(&contract.types, contract.routes[0].returns.as_ref(), None, mode)
            .and_then(|table| table.write(json.as_bytes(), RESULT).map_err(|_| "json"))
    };
    let Ok(plain) = table(Mode::Plain) else { return };
    let mut rows = csv::ReaderBuilder::new().has_headers(false).flexible(true).from_reader(plain.as_bytes());
    let read: Vec<Vec<String>> = rows.records().map(|row| row.unwrap().iter().map(str::to_owned).collect()).collect();
    assert_eq!(read[0], ["a", "b"]);
    assert_eq!(read.len(), cells.len() + 1, "{plain:?}");
    for ((a, b), row) in cells.iter().zip(&read[1..]) {
        assert_eq!(&[a, b], &[&row[0], &row[1]], "{plain:?}");
    }
    let Ok(sheet) = table(Mode::Spreadsheet) else { panic!("one mode alone") };
    let rows = csv::ReaderBuilder::new().has_headers(false).from_reader(sheet.as_bytes()).into_records();
    for cell in rows.skip(1).flat_map(|row| row.unwrap().iter().map(str::to_owned).collect::<Vec<_>>()) {
        assert!(!cell.starts_with(['=', '+', '-', '@', '\t', '\r']), "{cell:?}");
    }
});
