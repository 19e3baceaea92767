//! The space that vectors of an encoder are stored in: where its centre is, and whether sketches can be used in it.

use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use cds_encode::{DenseEncoder, ModelError};
use cds_model::ChunkId;
use rayon::prelude::*;

use super::cache::Cache;
use super::meaning::encode_batch;
use super::rounds::BATCH;
use crate::store::space::{VectorSpace, mean};
use crate::store::vectors::{VectorTable, Vectors};
use crate::{Error, Result};

/// How often a batch of the probes is tried.
const ATTEMPTS: usize = 3;
/// Vectors among which sketches are checked at most.
const SAMPLE: usize = 16_384;
/// How many of them are queries.
const QUERIES: usize = 32;
/// How many of the nearest are compared.
const NEAREST: usize = 100;
/// Which share of them sketches must find on average.
const RECALL: f64 = 0.99;

/// The space around what a model makes of [`PROBES`]; the reason if it fails on them. The centre depends on the model alone, so that an updated
/// index equals one built from nothing. It is kept as long as what the model said of other texts, which is stored around it.
pub(crate) fn measure(
    home: &Path,
    encoder: &dyn DenseEncoder,
    limit: Option<Duration>,
    cancel: &AtomicBool,
) -> Result<std::result::Result<VectorSpace, String>> {
    let mut cache = Cache::<Vec<f32>>::open(home, "centre", encoder.id(), b"")?;
    let key = cache.key(&PROBES.concat());
    if let Some(mean) = cache.get(key).filter(|mean| mean.len() == encoder.id().dimensions as usize) {
        return Ok(Ok(VectorSpace::around(&[mean])));
    }
    let mut texts = PROBES.to_vec();
    texts.sort_by_key(|text| text.len());
    let mut vectors = Vec::with_capacity(texts.len());
    for batch in texts.chunks(BATCH) {
        let mut failures = 0;
        loop {
            if cancel.load(Ordering::Relaxed) {
                return Err(Error::Cancelled);
            }
            match encode(encoder, batch, limit) {
                Ok(entries) => break vectors.extend(entries),
                Err(error) if failures + 1 == ATTEMPTS || matches!(error, ModelError::Unavailable(_)) => {
                    return Ok(Err(error.to_string()));
                }
                Err(_) => failures += 1,
            }
        }
    }
    let mean = mean(&vectors);
    cache.add(&[(key, &mean)])?;
    Ok(Ok(VectorSpace::around(&[mean])))
}

fn encode(
    encoder: &dyn DenseEncoder,
    batch: &[&str],
    limit: Option<Duration>,
) -> std::result::Result<Vec<Vec<f32>>, ModelError> {
    let entries = encode_batch(encoder, batch, limit)?.entries;
    let dimensions = encoder.id().dimensions as usize;
    let fits = |vector: &Vec<f32>| vector.len() == dimensions && vector.iter().all(|x| x.is_finite());
    if entries.len() != batch.len() || !entries.iter().all(fits) {
        return Err(ModelError::Unusable("the model gave other vectors than it should".to_owned()));
    }
    Ok(entries)
}

/// Whether sketches find what a comparison of all codes finds. Compares a sample of evenly spaced vectors, some of which are the queries.
pub(crate) fn sketches_suffice(vectors: &Vectors, space: &VectorSpace) -> bool {
    let step = vectors.len().div_ceil(SAMPLE).max(1);
    let mut table = VectorTable::within(space.clone().scanning_codes(false));
    for chunk in (0..vectors.len()).step_by(step) {
        if let Some(vector) = vectors.quantised(chunk as u32) {
            table.push_quantised(&vector);
        }
    }
    let by_codes = table.clone().searched_by_codes();
    let (by_sketches, by_codes) = (table.vectors(), by_codes.vectors());
    let len = by_codes.len();
    let queries: Vec<usize> = (0..len).step_by(len.div_ceil(QUERIES).max(1)).collect();
    let recall = |query: &usize| {
        let query = by_codes.get(ChunkId(*query as u32)).unwrap_or_default();
        let expected = by_codes.nearest(&query, NEAREST, |_| true);
        let Some((_, least)) = expected.last() else { return 1.0 };
        // Equal vectors are interchangeable.
        let found = by_sketches.nearest(&query, NEAREST, |_| true);
        found.iter().filter(|(_, cosine)| cosine >= least).count() as f64 / expected.len() as f64
    };
    let recalls: Vec<f64> = queries.par_iter().map(recall).collect();
    recalls.iter().sum::<f64>() >= RECALL * recalls.len() as f64
}

/// Short texts as chunks may be, in several languages of programmers and people. Other texts mean another centre and thus vectors that
/// cannot be compared with those of an existing index: raise the format version.
#[rustfmt::skip]
const PROBES: &[&str] = &[
    "src/main.rs\nmain\nfn main() {\n    println!(\"hello\");\n}",
    "lib/list.py\nreverse\ndef reverse(items):\n    return items[::-1]",
    "app/user.ts\nUser\nexport interface User {\n  id: number;\n  name: string;\n}",
    "server/handler.go\nServeHTTP\nfunc (h *Handler) ServeHTTP(w http.ResponseWriter, r *http.Request) {\n\tw.WriteHeader(404)\n}",
    "Stack.java\nStack > push\npublic void push(T value) {\n    elements.add(value);\n}",
    "util.c\nmax\nint max(int a, int b) {\n    return a > b ? a : b;\n}",
    "matrix.cpp\nMatrix > operator+\nMatrix Matrix::operator+(const Matrix& other) const {\n    return add(*this, other);\n}",
    "Program.cs\nProgram > Main\nstatic async Task Main(string[] args) => await Run(args);",
    "models/post.rb\nPost > publish\ndef publish\n  update(published_at: Time.now)\nend",
    "index.php\nrender\nfunction render(string $template, array $data): string {\n    return view($template, $data);\n}",
    "View.swift\nView > body\nvar body: some View {\n    Text(title).padding()\n}",
    "Main.kt\nmain\nfun main() {\n    val names = listOf(\"a\", \"b\")\n    names.forEach(::println)\n}",
    "Tree.scala\nTree > depth\ndef depth: Int = children.map(_.depth).maxOption.getOrElse(0) + 1",
    "Parser.hs\nparse\nparse :: String -> Maybe Expr\nparse input = runParser expr input",
    "core.clj\nsquare\n(defn square [x]\n  (* x x))",
    "server.ex\nServer > handle_call\ndef handle_call(:get, _from, state) do\n  {:reply, state, state}\nend",
    "install.sh\n\nset -eu\nfor file in *.tar.gz; do\n  tar xzf \"$file\"\ndone",
    "schema.sql\n\nCREATE TABLE orders (\n  id INTEGER PRIMARY KEY,\n  total NUMERIC NOT NULL\n);",
    "query.sql\n\nSELECT name, COUNT(*) FROM users GROUP BY name ORDER BY 2 DESC;",
    "style.css\n\n.button {\n  color: white;\n  padding: 4px 8px;\n}",
    "index.html\n\n<form action=\"/login\" method=\"post\">\n  <input name=\"password\" type=\"password\">\n</form>",
    "config.yaml\n\nserver:\n  port: 8080\n  timeout: 30s",
    "package.json\n\n{\n  \"name\": \"app\",\n  \"dependencies\": { \"react\": \"^18.0.0\" }\n}",
    "Cargo.toml\n\n[dependencies]\nserde = { version = \"1\", features = [\"derive\"] }",
    "Dockerfile\n\nFROM python:3.12-slim\nCOPY . /app\nCMD [\"python\", \"/app/main.py\"]",
    "Makefile\n\nall: build test\n\nbuild:\n\tgcc -O2 -o app main.c",
    "main.tf\n\nresource \"aws_s3_bucket\" \"logs\" {\n  bucket = \"example-logs\"\n}",
    "plot.R\nsummarise\nsummarise <- function(x) c(mean = mean(x), sd = sd(x))",
    "solve.jl\nnewton\nfunction newton(f, df, x)\n    x - f(x) / df(x)\nend",
    "init.lua\nsetup\nfunction M.setup(options)\n  M.options = options or {}\nend",
    "script.pl\n\nwhile (my $line = <STDIN>) {\n    print $line if $line =~ /error/;\n}",
    "cart.js\naddToCart\nexport const addToCart = (cart, product) => [...cart, product];",
    "cache.py\nCache > get\ndef get(self, key, default=None):\n    with self.lock:\n        return self.entries.get(key, default)",
    "tests/test_math.py\ntest_add\ndef test_add():\n    assert add(1, 2) == 3",
    "retry.go\nRetry\nfor attempt := 0; attempt < limit; attempt++ {\n\tif err := call(); err == nil {\n\t\treturn nil\n\t}\n\ttime.Sleep(delay)\n}",
    "error.rs\nError\n#[derive(Debug)]\npub enum Error {\n    NotFound(PathBuf),\n    Parse { line: usize },\n}",
    "crypto.c\nhash\nfor (size_t i = 0; i < len; i++) {\n    h = (h ^ data[i]) * 16777619u;\n}",
    "train.py\ntrain\nfor batch in loader:\n    loss = model(batch).mean()\n    loss.backward()\n    optimizer.step()",
    "README.md\nInstallation\n# Installation\n\nInstall the package with your package manager, then run the setup command.",
    "docs/guide.md\nConfiguration\nThe configuration file is read once at startup. Changes take effect after a restart.",
    "CHANGELOG.md\n1.2.0\n## 1.2.0\n\n- Fixed a crash when the input is empty\n- Faster parsing of large files",
    "LICENSE\n\nPermission is hereby granted, free of charge, to any person obtaining a copy of this software.",
    "docs/architecture.md\nOverview\nRequests pass through a queue before workers process them in order.",
    "docs/fr.md\nInstallation\nPour installer le logiciel, téléchargez l'archive et lancez le programme d'installation.",
    "docs/de.md\nEinrichtung\nDie Anwendung liest ihre Einstellungen beim Start aus einer Datei.",
    "docs/es.md\nUso\nEste módulo convierte fechas y horas entre zonas horarias.",
    "docs/pt.md\nErros\nQuando a conexão falha, o cliente tenta novamente após alguns segundos.",
    "docs/ru.md\nПоиск\nФункция возвращает список файлов, которые подходят под запрос.",
    "docs/zh.md\n安装\n运行安装脚本之前,请先检查系统要求。",
    "docs/ja.md\n設定\n設定ファイルの変更は再起動後に有効になります。",
    "docs/ko.md\n사용법\n이 함수는 문자열을 입력받아 토큰 목록을 반환한다.",
    "docs/it.md\nRete\nIl server ascolta su una porta e risponde alle richieste dei client.",
    "how are retries of a failed connection handled",
    "where is the user authenticated",
    "parse a date from a string",
    "sort a list of numbers in descending order",
    "read a file line by line",
    "The quick brown fox jumps over the lazy dog.",
    "function",
    "0",
    "data.csv\n\nid,name,price\n1,apple,0.5\n2,pear,0.7",
    "app.log\n\n2024-01-01 12:00:00 WARN connection pool exhausted, waiting for a free slot",
    "messages.po\n\nmsgid \"Save\"\nmsgstr \"Speichern\"",
    "api.proto\nSearch\nservice Search {\n  rpc Find(FindRequest) returns (FindResponse);\n}",
];

#[cfg(test)]
mod tests {
    use super::sketches_suffice;
    use crate::store::rotation::rotate_back;
    use crate::{VectorSpace, VectorTable};

    fn noise(seed: &mut u64) -> f32 {
        *seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (*seed >> 40) as f32 / (1 << 23) as f32 - 1.0
    }

    /// Whether sketches suffice for vectors with `peaks` numbers of size one after their rotation.
    fn check(peaks: usize, expected: bool) {
        let mut seed = 11;
        let mut vector = || {
            let mut vector: Vec<f32> = (0..768).map(|_| 0.01 * noise(&mut seed)).collect();
            for _ in 0..peaks {
                let at = ((noise(&mut seed) + 1.0) * 384.0) as usize;
                vector[at.min(767)] += noise(&mut seed).signum();
            }
            rotate_back(&mut vector);
            vector
        };
        let space = VectorSpace::around(&[vec![0.0; 768]]);
        let mut table = VectorTable::within(space.clone());
        for _ in 0..3_000 {
            table.push(&vector());
        }
        assert_eq!(sketches_suffice(&table.vectors(), &space), expected, "{peaks} peaks");
    }

    #[test]
    fn vectors_of_which_signs_say_little_are_found_out() {
        check(0, true);
        check(8, false);
    }
}
