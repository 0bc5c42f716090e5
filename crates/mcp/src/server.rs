//! The protocol's side: lists, calls, resources, prompts. What blocks runs on a thread of its own.

use crate::arguments::Arguments;
use crate::error::ToolError;
use crate::page::clean;
use crate::projects::{Known, folder_of};
use crate::table::{TOOLS, ToolSpec};
use crate::tools::Call;
use crate::{Options, prompts, resources};
use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CallToolResult, ContentBlock, GetPromptRequestParams,
    GetPromptResponse, Implementation, ListPromptsResult, ListResourceTemplatesResult, ListResourcesResult,
    ListToolsResult, PaginatedRequestParams, ReadResourceRequestParams, ReadResourceResponse,
    ReadResourceResult, ResourceContents, ServerCapabilities, ServerConfig,
};
use rmcp::service::{NotificationContext, RequestContext};
use rmcp::{ErrorData, RoleServer, ServerHandler};
use serde_json::Value;
use sprag_config::host::Host;
use sprag_runtime::queue;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

const INSTRUCTIONS: &str = "sprag keeps what this project's sessions learned, reads its code without opening whole files, and \
    knows who else works on it. Recall before guessing; outline before reading a large file. `project` is the project's absolute \
    path, needed only when it is not the one of this session. A cut list has `next`: call again with it as `offset`.";

/// How long a client may take to name its roots.
const ROOTS_PATIENCE: Duration = Duration::from_secs(2);

/// The server of one or more connections; it knows no transport.
#[derive(Clone)]
pub struct Server {
    shared: Arc<Shared>,
}

struct Shared {
    host: Host,
    options: Options,
    /// What the client said of its roots; asked for once, until it says that they changed.
    roots: Mutex<Option<Vec<PathBuf>>>,
}

impl Server {
    /// A server with these tools.
    pub fn new(host: Host, options: Options) -> Self {
        Self { shared: Arc::new(Shared { host, options, roots: Mutex::new(None) }) }
    }

    fn offers(&self, tool: &ToolSpec) -> bool {
        let groups = &self.shared.options.groups;
        groups.is_empty() || groups.contains(&tool.group)
    }

    /// The folders that the client works in. Roots are asked for in sessions that began with a handshake; the present revision
    /// has no such question.
    async fn roots(&self, context: &RequestContext<RoleServer>) -> Vec<PathBuf> {
        let known = self.shared.roots.lock().unwrap_or_else(PoisonError::into_inner).clone();
        if let Some(known) = known {
            return known;
        }
        #[expect(deprecated, reason = "the agents of today name their project by their roots")]
        let found = {
            let has_roots =
                context.peer.peer_info().is_some_and(|client| client.capabilities.roots.is_some());
            if !has_roots {
                return Vec::new();
            }
            match tokio::time::timeout(ROOTS_PATIENCE, context.peer.list_roots()).await {
                Ok(Ok(listed)) => {
                    listed.roots.iter().filter_map(|root| folder_of(&root.uri)).collect::<Vec<_>>()
                }
                _ => return Vec::new(),
            }
        };
        *self.shared.roots.lock().unwrap_or_else(PoisonError::into_inner) = Some(found.clone());
        found
    }

    async fn known(&self, context: &RequestContext<RoleServer>) -> Known {
        let roots = self.roots(context).await;
        let here = !self.shared.options.remote;
        let cwd = if here { std::env::current_dir().unwrap_or_default() } else { PathBuf::new() };
        Known::new(&self.shared.host, self.shared.options.project.as_deref(), &roots, cwd)
    }

    /// Runs what blocks on a thread of its own; a panic is an error like any other.
    async fn work<T: Send + 'static>(
        &self,
        context: &RequestContext<RoleServer>,
        arguments: Arguments,
        job: impl FnOnce(&Call<'_>) -> Result<T, ToolError> + Send + 'static,
    ) -> Result<T, ToolError> {
        let known = self.known(context).await;
        let client = context.client_info().map(|client| client.name).unwrap_or_default();
        let shared = Arc::clone(&self.shared);
        let done = tokio::task::spawn_blocking(move || {
            let host = &shared.host;
            let answer = job(&Call { host, arguments: &arguments, known: &known, client: &client });
            // What the answer left to the background waits until it is there: both want the processor.
            if queue::has_due(&host.paths, host.clock.now()) {
                queue::wake(host);
            }
            answer
        });
        done.await.unwrap_or_else(|_| {
            Err(ToolError::new(
                "the tool failed",
                "Go on without it, and tell the user that sprag has a bug here.",
            ))
        })
    }
}

impl ServerHandler for Server {
    fn get_info(&self) -> ServerConfig {
        let capabilities =
            ServerCapabilities::builder().enable_tools().enable_resources().enable_prompts().build();
        ServerConfig::new(capabilities)
            .with_server_info(Implementation::new("sprag", env!("CARGO_PKG_VERSION")))
            .with_instructions(INSTRUCTIONS)
    }

    async fn list_tools(
        &self,
        _request: Option<PaginatedRequestParams>,
        _context: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        let tools = TOOLS.iter().filter(|tool| self.offers(tool)).map(ToolSpec::listed).collect();
        Ok(ListToolsResult::with_all_items(tools))
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let Some(tool) = ToolSpec::named(&request.name).filter(|tool| self.offers(tool)) else {
            return Err(ErrorData::invalid_params(format!("unknown tool `{}`", request.name), None));
        };
        let checked = Arguments::checked(request.arguments.unwrap_or_default(), &tool.input_schema());
        let answer = match checked {
            Ok(arguments) => self.work(&context, arguments, tool.run).await,
            Err(error) => Err(error),
        };
        Ok(match answer {
            Ok(answer) => CallToolResult::structured(clean(Value::Object(answer))),
            Err(error) => CallToolResult::error(vec![ContentBlock::text(error.to_string())]),
        }
        .into())
    }

    async fn list_resources(
        &self,
        _request: Option<PaginatedRequestParams>,
        context: RequestContext<RoleServer>,
    ) -> Result<ListResourcesResult, ErrorData> {
        let listed = self.work(&context, Arguments::default(), |call| Ok(resources::listed(call))).await;
        Ok(ListResourcesResult::with_all_items(listed.unwrap_or_default()))
    }

    async fn list_resource_templates(
        &self,
        _request: Option<PaginatedRequestParams>,
        _context: RequestContext<RoleServer>,
    ) -> Result<ListResourceTemplatesResult, ErrorData> {
        Ok(ListResourceTemplatesResult::with_all_items(resources::templates()))
    }

    async fn read_resource(
        &self,
        request: ReadResourceRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<ReadResourceResponse, ErrorData> {
        let uri = request.uri.clone();
        let read = self.work(&context, Arguments::default(), move |call| resources::read(call, &uri)).await;
        match read {
            Ok(text) => {
                let contents = ResourceContents::text(text, request.uri).with_mime_type("text/markdown");
                Ok(ReadResourceResult::new(vec![contents]).into())
            }
            Err(error) => Err(ErrorData::resource_not_found(error.to_string(), None)),
        }
    }

    async fn list_prompts(
        &self,
        _request: Option<PaginatedRequestParams>,
        _context: RequestContext<RoleServer>,
    ) -> Result<ListPromptsResult, ErrorData> {
        Ok(ListPromptsResult::with_all_items(prompts::listed()))
    }

    async fn get_prompt(
        &self,
        request: GetPromptRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<GetPromptResponse, ErrorData> {
        let (name, arguments) = (request.name, request.arguments.unwrap_or_default());
        let made =
            self.work(&context, Arguments::default(), move |call| prompts::made(call, &name, &arguments));
        match made.await {
            Ok(prompt) => Ok(prompt.into()),
            Err(error) => Err(ErrorData::invalid_params(error.to_string(), None)),
        }
    }

    async fn on_roots_list_changed(&self, _context: NotificationContext<RoleServer>) {
        *self.shared.roots.lock().unwrap_or_else(PoisonError::into_inner) = None;
    }
}
