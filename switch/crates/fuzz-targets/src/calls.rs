//! RPCs whose messages are bytes, at a server over the network or in this process.

use std::time::Duration;

use bytes::Bytes;
use tokio_stream::{Stream, StreamExt as _};
use tonic::body::Body;
use tonic::client::{Grpc, GrpcService};
use tonic::codegen::http::uri::PathAndQuery;
use tonic::codegen::{Body as HttpBody, StdError};
use tonic::{Code, Request, Status};

use crate::raw_codec::Raw;

/// A request that takes longer has no answer.
const PATIENCE: Duration = Duration::from_secs(10);
/// Longest answer.
const MAX_BYTES: usize = 128 << 20;

/// Calls an RPC and reads all answers, or how it was refused. Only a stream takes more than one message.
///
/// # Errors
/// There is no answer, or one that tells of a fault.
pub async fn call<S>(
    service: S,
    rpc: &str,
    messages: impl Stream<Item = Bytes> + Send + Unpin + 'static,
) -> Result<Result<Vec<Bytes>, Status>, String>
where
    S: GrpcService<Body>,
    S::ResponseBody: HttpBody<Data = Bytes> + Send + 'static,
    <S::ResponseBody as HttpBody>::Error: Into<StdError> + Send,
{
    match tokio::time::timeout(PATIENCE, answers(service, rpc, messages)).await {
        Err(_) => Err(format!("{rpc}: no answer within {PATIENCE:?}")),
        Ok(Err(status)) if is_fault(&status) => Err(format!("{rpc}: {status:?}")),
        Ok(answer) => Ok(answer),
    }
}

async fn answers<S>(
    service: S,
    rpc: &str,
    mut messages: impl Stream<Item = Bytes> + Send + Unpin + 'static,
) -> Result<Vec<Bytes>, Status>
where
    S: GrpcService<Body>,
    S::ResponseBody: HttpBody<Data = Bytes> + Send + 'static,
    <S::ResponseBody as HttpBody>::Error: Into<StdError> + Send,
{
    let mut client = Grpc::new(service).max_decoding_message_size(MAX_BYTES);
    let path = PathAndQuery::try_from(format!("/p4.v1.P4Runtime/{rpc}"));
    let path = path.map_err(|error| Status::aborted(error.to_string()))?;
    client.ready().await.map_err(|error| Status::unavailable(error.into().to_string()))?;
    let mut stream = match rpc {
        "StreamChannel" => client.streaming(Request::new(messages), path, Raw).await?.into_inner(),
        "Read" => {
            let message = messages.next().await.unwrap_or_default();
            client.server_streaming(Request::new(message), path, Raw).await?.into_inner()
        }
        _ => {
            let message = messages.next().await.unwrap_or_default();
            return client.unary(Request::new(message), path, Raw).await.map(|answer| vec![answer.into_inner()]);
        }
    };
    let mut answers = Vec::new();
    while let Some(answer) = stream.message().await? {
        answers.push(answer);
    }
    Ok(answers)
}

/// Statuses that no request deserves. A message that does not decode is INTERNAL in gRPC; a batch with errors is
/// UNKNOWN, with details.
fn is_fault(status: &Status) -> bool {
    match status.code() {
        Code::Unavailable | Code::Cancelled | Code::DataLoss | Code::DeadlineExceeded => true,
        Code::Internal => !status.message().contains("decode"),
        Code::Unknown => status.details().is_empty(),
        _ => status.message().is_empty(),
    }
}
