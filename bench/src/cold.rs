//! How long the first request to a component takes whose code was compiled by an earlier start.

use std::time::Instant;

use anyhow::{Result, ensure};

use crate::contestants::{Contestant, Field};
use crate::load::Request;
use crate::report::{Figure, Row};
use crate::server::ask;

/// The name of the row.
pub(crate) const WORK: &str = "ms of the first request to a component compiled before";

const COMPONENTS: usize = 50;
/// Milliseconds that one may take.
const AT_MOST: f64 = 5.0;

/// Starts components once, so that their code is kept, and again; then asks each once. Nine in ten of them count: the slowest
/// is the machine's.
pub(crate) fn run(field: &Field) -> Row {
    let figure = || -> Result<Figure> {
        let contestant = Contestant::DjoComponents(COMPONENTS);
        let request = Request::agent("/posts");
        let hosts: Vec<_> = (0..COMPONENTS).map(|number| format!("r{number}.localhost")).collect();
        field.server(&contestant)?.wake(&request.clone().to(hosts.clone()))?;
        field.stop(&contestant);
        let server = field.server(&contestant)?;
        let asked = |host: &String| -> Result<f64> {
            let (request, started) = (request.clone().to([host]), Instant::now());
            let answer = ask(server.addr, &request)?;
            ensure!(answer.status == 200, "{host} answers {}", answer.status);
            Ok(started.elapsed().as_secs_f64() * 1e3)
        };
        let mut cold = hosts.iter().map(asked).collect::<Result<Vec<_>>>()?;
        let mut warm = hosts.iter().map(asked).collect::<Result<Vec<_>>>()?;
        field.stop(&contestant);
        [&mut cold, &mut warm].into_iter().for_each(|all| all.sort_unstable_by(f64::total_cmp));
        let (half, slowest) = (COMPONENTS / 2, COMPONENTS - 1);
        println!(
            "  half of the first requests take {:.2} ms, the slowest {:.2}, half of the second {:.2}",
            cold[half], cold[slowest], warm[half]
        );
        Ok(Figure { ours: cold[COMPONENTS * 9 / 10], theirs: 1.0, errors: 0 })
    };
    Row::new(WORK, "djo-host, 9 in 10", "1 ms", false, AT_MOST, figure().map(|figure| vec![figure]))
}
