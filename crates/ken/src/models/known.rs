//! Models that can be fetched by name: where each file lies, and what it must be. A file that is another one is not
//! taken, wherever it came from.

/// A model that is known by name.
#[derive(Clone, Debug)]
pub(crate) struct Known {
    pub(crate) name: &'static str,
    /// What it is for, in a few words.
    pub(crate) told: &'static str,
    /// Where it lies at the hub, and which state of it.
    pub(crate) repository: &'static str,
    pub(crate) revision: &'static str,
    /// Path and SHA-256 of each file.
    pub(crate) files: &'static [(&'static str, &'static str)],
}

const BERT_TOKENS: (&str, &str) = (
    "tokenizer.json",
    "d241a60d5e8f04cc1b2b3e9ef7a4921b27bf526d9f6050ab90f9267a1f9e5c66",
);
const BGE_TOKEN_RULES: (&str, &str) = (
    "tokenizer_config.json",
    "9261e7d79b44c8195c1cada2b453e55b00aeb81e907a6664974b4d7776172ab3",
);

/// Every one of them.
pub(crate) const ALL: [Known; 4] = [
    Known {
        name: "bge-small-en-v1.5",
        told: "English, int8, 34 MB, MIT",
        repository: "Xenova/bge-small-en-v1.5",
        revision: "ea104dacec62c0de699686887e3f920caeb4f3e3",
        files: &[
            (
                "onnx/model_quantized.onnx",
                "6c9c6101a956d62dfb5e7190c538226c0c5bb9cb27b651234b6df063ee7dbfe4",
            ),
            BERT_TOKENS,
            (
                "config.json",
                "fa73f90bf92c8cace1fbcb709626306f2bdbc9ea3e5b5f94b440df9b6aa56350",
            ),
            BGE_TOKEN_RULES,
        ],
    },
    Known {
        name: "bge-small-en-v1.5-f32",
        told: "English, 133 MB, MIT",
        repository: "BAAI/bge-small-en-v1.5",
        revision: "5c38ec7c405ec4b44b94cc5a9bb96e735b38267a",
        files: &[
            (
                "onnx/model.onnx",
                "828e1496d7fabb79cfa4dcd84fa38625c0d3d21da474a00f08db0f559940cf35",
            ),
            BERT_TOKENS,
            (
                "config.json",
                "094f8e891b932f2000c92cfc663bac4c62069f5d8af5b5278c4306aef3084750",
            ),
            BGE_TOKEN_RULES,
        ],
    },
    Known {
        name: "multilingual-e5-small",
        told: "a hundred languages, int8, 118 MB, MIT",
        repository: "Xenova/multilingual-e5-small",
        revision: "761b726dd34fb83930e26aab4e9ac3899aa1fa78",
        files: &[
            (
                "onnx/model_quantized.onnx",
                "f80102d3f2a1229f387d3c81909990d8945513e347b0eab049f7de3c6f98c193",
            ),
            (
                "tokenizer.json",
                "0b44a9d7b51c3c62626640cda0e2c2f70fdacdc25bbbd68038369d14ebdf4c39",
            ),
            (
                "config.json",
                "cb99455288675345e1a4f411438d5d0adbba5fbd3a67ea4fb03c015433b996c1",
            ),
            (
                "tokenizer_config.json",
                "a1d6bc8734a6f635dc158508bef000f8e2e5a759c7d92f984b2c86e5ff53425b",
            ),
        ],
    },
    Known {
        name: "ms-marco-minilm-l-6-v2",
        told: "English, compares question and passage, int8, 23 MB, Apache-2.0",
        repository: "Xenova/ms-marco-MiniLM-L-6-v2",
        revision: "a09144355adeed5f58c8ed011d209bf8ee5a1fec",
        files: &[
            (
                "onnx/model_quantized.onnx",
                "e9d8ebf845c413e981c175bfe49a3bfa9b3dcce2a3ba54875ee5df5a58639fbe",
            ),
            BERT_TOKENS,
            (
                "config.json",
                "d827779a72d27ae68cf878a6fc2e954542663fe21ca515d9f4783fc96be2d37e",
            ),
            (
                "tokenizer_config.json",
                "0b29c7bfc889e53b36d9dd3e686dd4300f6525110eaa98c76a5dafceb2029f53",
            ),
        ],
    },
];
