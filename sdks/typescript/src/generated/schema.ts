// Made by `pnpm gen` from packages/contract/openapi.json. Change the contract, not this file.

export interface components {
    schemas: {
        Agent: {
            /** @example ag_01kf3xw0fqe1vrr9m8sdv2wbx4 */
            id: string;
            /** @enum {string} */
            object: "agent";
            name: string;
            description: string | null;
            /** @enum {string} */
            status: "active" | "archived";
            /** @enum {string} */
            kind: "llm" | "remote";
            /** @enum {string} */
            source: "catalog" | "custom";
            catalog_key: string | null;
            /** @description The version of the catalog’s agent that was hired. */
            catalog_version: number | null;
            /** @description The version that the catalog has now. Take it with `PATCH {"catalog_version": n}`. */
            catalog_latest: number | null;
            /** @description The newest version that is out, in full or as a canary. */
            version: number;
            config: {
                [key: string]: unknown;
            };
            input_schema: {
                [key: string]: unknown;
            } | null;
            output_schema: {
                [key: string]: unknown;
            } | null;
            limits: {
                timeout_seconds: number | null;
                max_steps: number | null;
                budget_usd: number | null;
                max_concurrent_runs: number | null;
            };
            policies: string[];
            metadata: {
                [key: string]: string;
            };
            /** Format: date-time */
            created_at: string;
            /** Format: date-time */
            updated_at: string;
            /** Format: date-time */
            archived_at: string | null;
        };
        /**
         * @description Of the kind of the agent. Null clears. What could not work is 422, with the path of every fault.
         * @example {
         *       "model": "simulated/echo",
         *       "instructions": "Answer in one sentence."
         *     }
         */
        AgentConfig: {
            /** @description `provider/model`. For `llm`, required. */
            model?: string | null;
            /** @description For `llm`. */
            instructions?: string | null;
            /** @description For `llm`. */
            temperature?: number | null;
            /** @description For `llm`. */
            max_output_tokens?: number | null;
            /** @description For `llm`. */
            tools?: components["schemas"]["AgentTool"][] | null;
            /** @description For `llm` on `simulated/script`: the turns that it plays. */
            script?: unknown[] | null;
            /** @description For `remote`, required: your endpoint. HTTPS, and a host of the public Internet. */
            url?: string | null;
            /** @description For `remote`: how the service shows who it is. It is kept sealed. */
            auth?: {
                /** @enum {string} */
                type: "none";
            } | {
                /** @enum {string} */
                type: "bearer";
                /** @description Kept sealed and never shown again. */
                token: string;
            } | {
                /** @enum {string} */
                type: "header";
                header: string;
                /** @description Kept sealed and never shown again. */
                value: string;
            } | null;
        };
        AgentDiff: {
            /** @enum {string} */
            object: "agent_diff";
            /** @example ag_01kf3xw0fqe1vrr9m8sdv2wbx4 */
            agent_id: string;
            from: number;
            to: number;
            changes: {
                /** @example config.temperature */
                path: string;
                /** @description Null where there was nothing. */
                old?: unknown;
                /** @description Null where there is nothing any more. */
                new?: unknown;
            }[];
        };
        /** @description Null, or left out at creation: what the plan says. */
        AgentLimits: {
            timeout_seconds?: number | null;
            max_steps?: number | null;
            budget_usd?: number | null;
            max_concurrent_runs?: number | null;
        };
        AgentList: {
            /** @enum {string} */
            object: "list";
            data: components["schemas"]["Agent"][];
            has_more: boolean;
            first_id: string | null;
            last_id: string | null;
        };
        AgentTool: {
            /** @example con_01kf3xw0fqe1vrr9m8sdv2wbx4 */
            connector_id: string;
            /** @description The only tools that it may use. Left out, or empty: all. */
            allow?: string[];
            /** @description Tools that a person must allow each time. */
            require_approval?: string[];
        };
        AgentVersion: {
            /** @enum {string} */
            object: "agent_version";
            /** @example ag_01kf3xw0fqe1vrr9m8sdv2wbx4 */
            agent_id: string;
            version: number;
            name: string;
            description: string | null;
            config: {
                [key: string]: unknown;
            };
            input_schema: {
                [key: string]: unknown;
            } | null;
            output_schema: {
                [key: string]: unknown;
            } | null;
            limits: {
                timeout_seconds: number | null;
                max_steps: number | null;
                budget_usd: number | null;
                max_concurrent_runs: number | null;
            };
            policies: string[];
            metadata: {
                [key: string]: string;
            };
            /** @description The key or the person; null: the operator. */
            created_by: string | null;
            /** Format: date-time */
            created_at: string;
        };
        AgentVersionList: {
            /** @enum {string} */
            object: "list";
            data: components["schemas"]["AgentVersion"][];
            has_more: boolean;
            first_id: string | null;
            last_id: string | null;
        };
        Alert: {
            /** @example alt_01kf3xw0fqe1vrr9m8sdv2wbx4 */
            id: string;
            /** @enum {string} */
            object: "alert";
            rule: {
                [key: string]: unknown;
            };
            /** @enum {string} */
            status: "firing" | "resolved";
            severity: string;
            /** Format: date-time */
            triggered_at: string;
            /** Format: date-time */
            resolved_at: string | null;
            snapshot: {
                /** @enum {string} */
                metric: "failure_rate" | "latency_p95_ms" | "queue_wait_p95_ms" | "runs_per_minute" | "tokens_per_hour" | "quota_used" | "webhook_failure_rate";
                value: number;
                threshold: number;
                /** Format: date-time */
                window_start: string;
                /** Format: date-time */
                window_end: string;
                sample_size: number;
                series: unknown[];
            };
        };
        ApiKey: {
            /** @example key_01kf3xw0fqe1vrr9m8sdv2wbx4 */
            id: string;
            /** @enum {string} */
            object: "api_key";
            name: string;
            /** @enum {string} */
            kind: "live" | "demo";
            /** @description How the key begins: `ars_live_` or `ars_demo_`. */
            prefix: string;
            /** @description The last four characters, so that people can tell two keys apart. */
            hint: string;
            scopes: ("runs:read" | "runs:write" | "agents:read" | "agents:write" | "webhooks:read" | "webhooks:write" | "keys:read" | "keys:write" | "usage:read" | "analytics:read" | "pipelines:read" | "pipelines:write" | "policies:read" | "policies:write" | "connectors:read" | "connectors:write" | "alerts:read" | "alerts:write" | "events:read" | "audit:read" | "members:write")[];
            /** @description The only agents that the key may use; null: every agent of the organisation. */
            agent_ids: string[] | null;
            /** Format: date-time */
            expires_at: string | null;
            /**
             * Format: date-time
             * @description Written every few seconds, not at each request.
             */
            last_used_at: string | null;
            /** @description The key or the person that made it; null: the operator. */
            created_by: string | null;
            /** Format: date-time */
            created_at: string;
            /** Format: date-time */
            revoked_at: string | null;
            /**
             * @description The key that takes its place.
             * @example key_01kf3xw0fqe1vrr9m8sdv2wbx4
             */
            rotated_to: string | null;
            /**
             * Format: date-time
             * @description Until when a rotated key goes on working.
             */
            grace_until: string | null;
            /**
             * Format: date-time
             * @description When the key was seen on plain HTTP, where anybody can read it. Rotate such a key.
             */
            exposed_at: string | null;
        };
        ApiKeyList: {
            /** @enum {string} */
            object: "list";
            data: components["schemas"]["ApiKey"][];
            has_more: boolean;
            first_id: string | null;
            last_id: string | null;
        };
        /** @description Who did it. What a short-lived token does, its parent does. */
        AuditActor: {
            /** @enum {string} */
            type: "key" | "user" | "operator" | "service";
            /** @description A key or a person; null for the operator and the service. */
            id: string | null;
        };
        AuditEntry: {
            /** @example aud_01kf3xw0fqe1vrr9m8sdv2wbx4 */
            id: string;
            /** @enum {string} */
            object: "audit_entry";
            actor: components["schemas"]["AuditActor"];
            /**
             * @description Like `api_key.revoked`.
             * @example connector.created
             */
            action: string;
            /** @description The id of what was acted on. */
            subject: string | null;
            /** @description The network address that the request came from. */
            address: string | null;
            request_id: string | null;
            /** @description What was changed, as it was before. Never a secret. */
            before: {
                [key: string]: unknown;
            } | null;
            /** @description The same, as it is since. Never a secret. */
            after: {
                [key: string]: unknown;
            } | null;
            /** Format: date-time */
            created_at: string;
        };
        AuditEntryList: {
            /** @enum {string} */
            object: "list";
            data: components["schemas"]["AuditEntry"][];
            has_more: boolean;
            first_id: string | null;
            last_id: string | null;
        };
        Bearer: {
            /** @enum {string} */
            object: "me";
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "api_key" | "session_token";
            /** @description The API key; for a token, the key or the user that it was made by. */
            id: string;
            organisation: components["schemas"]["Organisation"];
            scopes: ("runs:read" | "runs:write" | "agents:read" | "agents:write" | "webhooks:read" | "webhooks:write" | "keys:read" | "keys:write" | "usage:read" | "analytics:read" | "pipelines:read" | "pipelines:write" | "policies:read" | "policies:write" | "connectors:read" | "connectors:write" | "alerts:read" | "alerts:write" | "events:read" | "audit:read" | "members:write")[];
        };
        CatalogAgent: {
            /** @description The same as `key`, so that the list is paged like every other. */
            id: string;
            /** @enum {string} */
            object: "catalog_agent";
            key: string;
            /** @description Counted up whenever the agent changes; hired agents are offered the newer one. */
            version: number;
            name: string;
            description: string;
            category: string;
            /** @enum {string} */
            kind: "llm";
            config: {
                [key: string]: unknown;
            };
            input_schema: {
                [key: string]: unknown;
            } | null;
            output_schema: {
                [key: string]: unknown;
            } | null;
            limits: {
                [key: string]: unknown;
            };
            /** @description It works with tools: hire it with a connector of yours. */
            needs_connector: boolean;
            sample_input: {
                [key: string]: unknown;
            };
            sample_output: {
                [key: string]: unknown;
            } | null;
        };
        CatalogAgentList: {
            /** @enum {string} */
            object: "list";
            data: components["schemas"]["CatalogAgent"][];
            has_more: boolean;
            first_id: string | null;
            last_id: string | null;
        };
        ChangedAgent: {
            /** @example ag_01kf3xw0fqe1vrr9m8sdv2wbx4 */
            agent_id: string;
            version: {
                old: number;
                new: number;
            };
            /** @description The paths of the fields that changed. */
            changed: string[];
            /** @description What they were, by path; null where there was nothing. */
            old: {
                [key: string]: unknown;
            };
            new: {
                [key: string]: unknown;
            };
            actor: {
                type: string;
                id: string;
            };
        };
        Connector: {
            /** @example con_01kf3xw0fqe1vrr9m8sdv2wbx4 */
            id: string;
            /** @enum {string} */
            object: "connector";
            name: string;
            url: string;
            auth: components["schemas"]["ConnectorAuth"];
            /** @enum {string} */
            status: "active" | "deleted";
            /** Format: date-time */
            created_at: string;
        };
        ConnectorAuth: {
            /** @enum {string} */
            type: "none" | "bearer" | "header";
            /** @description The header that carries the credential, for `header`. */
            header: string | null;
            /** @description The end of the credential, so that people can tell two apart. */
            hint: string | null;
        };
        ConnectorList: {
            /** @enum {string} */
            object: "list";
            data: components["schemas"]["Connector"][];
            has_more: boolean;
            first_id: string | null;
            last_id: string | null;
        };
        CreateAgent: {
            name: string;
            description?: string | null;
            /**
             * @default llm
             * @enum {string}
             */
            kind?: "llm" | "remote";
            config: components["schemas"]["AgentConfig"];
            input_schema?: {
                [key: string]: unknown;
            } | null;
            output_schema?: {
                [key: string]: unknown;
            } | null;
            limits?: components["schemas"]["AgentLimits"];
            policies?: string[];
            metadata?: {
                [key: string]: string;
            };
        };
        CreateApiKey: {
            name: string;
            /**
             * @description `live` unless told. A demo key has low limits and reaches no connectors.
             * @enum {string}
             */
            kind?: "live" | "demo";
            /**
             * @description One or several of runs:read, runs:write, agents:read, agents:write, webhooks:read, webhooks:write, keys:read, keys:write, usage:read, analytics:read, pipelines:read, pipelines:write, policies:read, policies:write, connectors:read, connectors:write, alerts:read, alerts:write, events:read, audit:read, members:write. There is no wildcard.
             * @example [
             *       "runs:write"
             *     ]
             */
            scopes: string[];
            /** @description Narrows the key to these agents. Null, or left out: every agent of the organisation. */
            agent_ids?: string[] | null;
            /**
             * Format: date-time
             * @description When the key stops working. Null, or left out: never.
             */
            expires_at?: string | null;
        };
        CreateConnector: {
            name: string;
            /** @description An MCP server that speaks streamable HTTP. HTTPS, and a host of the public Internet. */
            url: string;
            /** @description How the service shows who it is. Nothing unless told. */
            auth?: {
                /** @enum {string} */
                type: "none";
            } | {
                /** @enum {string} */
                type: "bearer";
                /** @description Kept sealed and never shown again. */
                token: string;
            } | {
                /** @enum {string} */
                type: "header";
                header: string;
                /** @description Kept sealed and never shown again. */
                value: string;
            };
        };
        CreateRun: {
            /** @example ag_01kf3xw0fqe1vrr9m8sdv2wbx4 */
            agent_id: string;
            /** @description What the agent works on; its shape is the agent’s. */
            input: {
                [key: string]: unknown;
            };
            /** @description Your own notes, returned as they are. */
            metadata?: {
                [key: string]: string;
            };
            timeout_seconds?: number;
        };
        CreateSessionToken: {
            /**
             * @description One or several of runs:read, runs:write, agents:read, agents:write, webhooks:read, webhooks:write, keys:read, keys:write, usage:read, analytics:read, pipelines:read, pipelines:write, policies:read, policies:write, connectors:read, connectors:write, alerts:read, alerts:write, events:read, audit:read, members:write. There is no wildcard.
             * @example [
             *       "runs:write"
             *     ]
             */
            scopes: string[];
            /**
             * @description Narrows the token to this run.
             * @example run_01kf3xw0fqe1vrr9m8sdv2wbx4
             */
            run_id?: string;
            /**
             * @description Seconds, 900 unless told.
             * @default 900
             */
            expires_in?: number;
        };
        CreateWebhook: {
            /** @description HTTPS, port 443 or one that the operator allows, and a host of the public Internet. */
            url: string;
            /** @description Types of events; `*` stands for all. */
            events: string[];
            /** @description Your own signing secret, `whsec_…`. Left out: the service makes one. */
            secret?: string;
            active?: boolean;
            description?: string | null;
        };
        Delivery: {
            /** @example dlv_01kf3xw0fqe1vrr9m8sdv2wbx4 */
            id: string;
            /** @enum {string} */
            object: "delivery";
            /** @example wh_01kf3xw0fqe1vrr9m8sdv2wbx4 */
            webhook_id: string;
            /** @example evt_01kf3xw0fqe1vrr9m8sdv2wbx4 */
            event_id: string;
            event_type: string;
            /** @enum {string} */
            status: "pending" | "succeeded" | "failed";
            /** @enum {string} */
            source: "event" | "test" | "redelivery" | "recovery";
            attempts: components["schemas"]["DeliveryAttempt"][];
            /** Format: date-time */
            next_attempt_at: string | null;
            /** @description Why it ended without a further attempt, where it did. */
            error: string | null;
            /** Format: date-time */
            created_at: string;
            /** Format: date-time */
            ended_at: string | null;
        };
        DeliveryAttempt: {
            number: number;
            /** Format: date-time */
            at: string;
            /** @description Null when nobody saw its end. */
            duration_ms: number | null;
            http_status: number | null;
            /** @description Why it failed, in words; null when it was acknowledged. */
            error: string | null;
            request: {
                headers: {
                    [key: string]: string;
                } | null;
                /** @description The bytes that were signed. Null in lists, and once erased. */
                body: string | null;
            };
            response: {
                headers: {
                    [key: string]: string;
                };
                /** @description Up to 16 KB of it. */
                body: string;
            } | null;
        };
        DeliveryList: {
            /** @enum {string} */
            object: "list";
            data: components["schemas"]["Delivery"][];
            has_more: boolean;
            first_id: string | null;
            last_id: string | null;
        };
        Deployment: {
            /** @example dep_01kf3xw0fqe1vrr9m8sdv2wbx4 */
            id: string;
            /** @enum {string} */
            object: "deployment";
            /** @example ag_01kf3xw0fqe1vrr9m8sdv2wbx4 */
            agent_id: string;
            version: number;
            /** @enum {string} */
            status: "active" | "canary" | "superseded" | "rolled_back";
            traffic_percent: number;
            rollback_rules: components["schemas"]["DeploymentRule"][];
            /** @example dep_01kf3xw0fqe1vrr9m8sdv2wbx4 */
            previous_deployment_id: string | null;
            /** @enum {string} */
            source: "hire" | "create" | "update" | "rollback";
            /** @description The key or the person; null: the operator, or the service itself. */
            created_by: string | null;
            /** Format: date-time */
            created_at: string;
            /** Format: date-time */
            rolled_back_at: string | null;
            rollback_reason: string | null;
        };
        DeploymentList: {
            /** @enum {string} */
            object: "list";
            data: components["schemas"]["Deployment"][];
            has_more: boolean;
            first_id: string | null;
            last_id: string | null;
        };
        DeploymentRule: {
            /** @enum {string} */
            metric: "failure_rate" | "latency_p95_ms" | "cost_per_run_usd";
            above: number;
            min_runs: number;
            window_seconds: number;
        };
        DisabledWebhook: {
            /** @example wh_01kf3xw0fqe1vrr9m8sdv2wbx4 */
            id: string;
            /** @enum {string} */
            object: "webhook";
            url: string;
            /** @description Types of events; `*` stands for all. */
            events: string[];
            /** @description Whether deliveries are sent. */
            active: boolean;
            description: string | null;
            /** @description The end of the signing secret, so that people can tell two apart. */
            secret_hint: string;
            /** @enum {string} */
            status: "healthy" | "failing" | "disabled";
            /** Format: date-time */
            disabled_at: string | null;
            /**
             * @description `paused` by a person, `gone` by the receiver’s 410, `failing` by days of nothing but failure.
             * @enum {string|null}
             */
            disabled_reason: "paused" | "gone" | "failing" | null;
            /** Format: date-time */
            failing_since: string | null;
            /**
             * Format: date-time
             * @description Events since then may not have been delivered: `POST /webhooks/{id}/recover` sends them.
             */
            missed_since: string | null;
            /** Format: date-time */
            created_at: string;
            reason: string;
        };
        Error: {
            error: {
                /** @enum {string} */
                type: "invalid_request_error" | "authentication_error" | "permission_error" | "rate_limit_error" | "api_error";
                /** @description Stable, for programs. The error page lists them all. */
                code: string;
                /** @description For people; it may change. */
                message: string;
                /** @description The field that is at fault, as a path. */
                param: string | null;
                request_id: string;
                doc_url: string;
                details: {
                    param: string | null;
                    message: string;
                }[];
            };
        };
        Event: {
            /** @example evt_01kf3xw0fqe1vrr9m8sdv2wbx4 */
            id: string;
            /** @enum {string} */
            type: "run.completed" | "run.failed" | "deployment.created" | "deployment.rollback" | "alert.triggered" | "agent.updated" | "pipeline.completed" | "run.requires_action" | "run.cancelled" | "webhook.disabled" | "test";
            /** Format: date-time */
            created_at: string;
            /** @description By type; see the webhooks of this document. */
            data: {
                [key: string]: unknown;
            };
        };
        EventList: {
            /** @enum {string} */
            object: "list";
            data: components["schemas"]["Event"][];
            has_more: boolean;
            first_id: string | null;
            last_id: string | null;
        };
        Invitation: {
            /** @example inv_01kf3xw0fqe1vrr9m8sdv2wbx4 */
            id: string;
            /** @enum {string} */
            object: "invitation";
            email: string;
            role: components["schemas"]["Role"];
            /** @enum {string} */
            status: "open" | "accepted" | "revoked" | "expired";
            /** @description The user or API key; null: the operator of the service. */
            invited_by: string | null;
            /** Format: date-time */
            created_at: string;
            /** Format: date-time */
            expires_at: string;
        };
        InvitationList: {
            /** @enum {string} */
            object: "list";
            data: components["schemas"]["Invitation"][];
            has_more: boolean;
            first_id: string | null;
            last_id: string | null;
        };
        Me: components["schemas"]["Session"] | components["schemas"]["Bearer"];
        Member: {
            /** @example mem_01kf3xw0fqe1vrr9m8sdv2wbx4 */
            id: string;
            /** @enum {string} */
            object: "member";
            /** @example usr_01kf3xw0fqe1vrr9m8sdv2wbx4 */
            user_id: string;
            email: string;
            name: string;
            role: components["schemas"]["Role"];
            /** Format: date-time */
            created_at: string;
        };
        MemberList: {
            /** @enum {string} */
            object: "list";
            data: components["schemas"]["Member"][];
            has_more: boolean;
            first_id: string | null;
            last_id: string | null;
        };
        NewAgent: {
            /** @example ag_01kf3xw0fqe1vrr9m8sdv2wbx4 */
            id: string;
            /** @enum {string} */
            object: "agent";
            name: string;
            description: string | null;
            /** @enum {string} */
            status: "active" | "archived";
            /** @enum {string} */
            kind: "llm" | "remote";
            /** @enum {string} */
            source: "catalog" | "custom";
            catalog_key: string | null;
            /** @description The version of the catalog’s agent that was hired. */
            catalog_version: number | null;
            /** @description The version that the catalog has now. Take it with `PATCH {"catalog_version": n}`. */
            catalog_latest: number | null;
            /** @description The newest version that is out, in full or as a canary. */
            version: number;
            config: {
                [key: string]: unknown;
            };
            input_schema: {
                [key: string]: unknown;
            } | null;
            output_schema: {
                [key: string]: unknown;
            } | null;
            limits: {
                timeout_seconds: number | null;
                max_steps: number | null;
                budget_usd: number | null;
                max_concurrent_runs: number | null;
            };
            policies: string[];
            metadata: {
                [key: string]: string;
            };
            /** Format: date-time */
            created_at: string;
            /** Format: date-time */
            updated_at: string;
            /** Format: date-time */
            archived_at: string | null;
            /** @description The deployment that this made; null when nothing changed. */
            deployment: components["schemas"]["Deployment"] | null;
            /** @description With it a remote agent tells our requests from others, in this answer only. Null for other agents and for a replay. */
            signing_secret: string | null;
        };
        NewApiKey: {
            /** @example key_01kf3xw0fqe1vrr9m8sdv2wbx4 */
            id: string;
            /** @enum {string} */
            object: "api_key";
            name: string;
            /** @enum {string} */
            kind: "live" | "demo";
            /** @description How the key begins: `ars_live_` or `ars_demo_`. */
            prefix: string;
            /** @description The last four characters, so that people can tell two keys apart. */
            hint: string;
            scopes: ("runs:read" | "runs:write" | "agents:read" | "agents:write" | "webhooks:read" | "webhooks:write" | "keys:read" | "keys:write" | "usage:read" | "analytics:read" | "pipelines:read" | "pipelines:write" | "policies:read" | "policies:write" | "connectors:read" | "connectors:write" | "alerts:read" | "alerts:write" | "events:read" | "audit:read" | "members:write")[];
            /** @description The only agents that the key may use; null: every agent of the organisation. */
            agent_ids: string[] | null;
            /** Format: date-time */
            expires_at: string | null;
            /**
             * Format: date-time
             * @description Written every few seconds, not at each request.
             */
            last_used_at: string | null;
            /** @description The key or the person that made it; null: the operator. */
            created_by: string | null;
            /** Format: date-time */
            created_at: string;
            /** Format: date-time */
            revoked_at: string | null;
            /**
             * @description The key that takes its place.
             * @example key_01kf3xw0fqe1vrr9m8sdv2wbx4
             */
            rotated_to: string | null;
            /**
             * Format: date-time
             * @description Until when a rotated key goes on working.
             */
            grace_until: string | null;
            /**
             * Format: date-time
             * @description When the key was seen on plain HTTP, where anybody can read it. Rotate such a key.
             */
            exposed_at: string | null;
            /** @description The whole key, in this answer only. Null when the request was made before (a replay). */
            key: string | null;
        };
        NewInvitation: {
            /** @example inv_01kf3xw0fqe1vrr9m8sdv2wbx4 */
            id: string;
            /** @enum {string} */
            object: "invitation";
            email: string;
            role: components["schemas"]["Role"];
            /** @enum {string} */
            status: "open" | "accepted" | "revoked" | "expired";
            /** @description The user or API key; null: the operator of the service. */
            invited_by: string | null;
            /** Format: date-time */
            created_at: string;
            /** Format: date-time */
            expires_at: string;
            /** @description Shown now and never again. Give it to the person and to nobody else. */
            link: string;
        };
        Organisation: {
            /** @example org_01kf3xw0fqe1vrr9m8sdv2wbx4 */
            id: string;
            name: string;
            /** @enum {string} */
            plan: "demo" | "free" | "developer" | "business" | "enterprise";
        };
        PasswordReset: {
            /** @enum {string} */
            object: "password_reset";
            user: components["schemas"]["User"];
        };
        PasswordResetLink: {
            /** @enum {string} */
            object: "password_reset_link";
            /** @example mem_01kf3xw0fqe1vrr9m8sdv2wbx4 */
            member_id: string;
            /** @description Shown now and never again. Give it to the person and to nobody else. */
            link: string;
            /** Format: date-time */
            expires_at: string;
        };
        PipelineRun: {
            /** @example plr_01kf3xw0fqe1vrr9m8sdv2wbx4 */
            id: string;
            /** @enum {string} */
            object: "pipeline_run";
            pipeline_id: string;
            status: string;
            steps: {
                key: string;
                run_id: string | null;
                status: string;
            }[];
            input: {
                [key: string]: unknown;
            };
            output: {
                [key: string]: unknown;
            } | null;
            error: {
                [key: string]: unknown;
            } | null;
            latency_ms: number | null;
            tokens_used: number;
            /** Format: date-time */
            created_at: string;
            /** Format: date-time */
            finished_at: string | null;
        };
        Recovery: {
            /** @example rec_01kf3xw0fqe1vrr9m8sdv2wbx4 */
            id: string;
            /** @enum {string} */
            object: "recovery";
            /** @example wh_01kf3xw0fqe1vrr9m8sdv2wbx4 */
            webhook_id: string;
            /** Format: date-time */
            since: string;
            /** Format: date-time */
            until: string;
            /** @enum {string} */
            status: "running" | "completed" | "cancelled";
            progress: {
                /** @description Events that had not been acknowledged; each has become a delivery. */
                found: number;
                delivered: number;
                failed: number;
                /**
                 * Format: date-time
                 * @description Events up to then were looked at.
                 */
                scanned_until: string | null;
            };
            /** Format: date-time */
            created_at: string;
            /** Format: date-time */
            ended_at: string | null;
        };
        RecoveryList: {
            /** @enum {string} */
            object: "list";
            data: components["schemas"]["Recovery"][];
            has_more: boolean;
            first_id: string | null;
            last_id: string | null;
        };
        ReleasedAgent: {
            /** @example ag_01kf3xw0fqe1vrr9m8sdv2wbx4 */
            id: string;
            /** @enum {string} */
            object: "agent";
            name: string;
            description: string | null;
            /** @enum {string} */
            status: "active" | "archived";
            /** @enum {string} */
            kind: "llm" | "remote";
            /** @enum {string} */
            source: "catalog" | "custom";
            catalog_key: string | null;
            /** @description The version of the catalog’s agent that was hired. */
            catalog_version: number | null;
            /** @description The version that the catalog has now. Take it with `PATCH {"catalog_version": n}`. */
            catalog_latest: number | null;
            /** @description The newest version that is out, in full or as a canary. */
            version: number;
            config: {
                [key: string]: unknown;
            };
            input_schema: {
                [key: string]: unknown;
            } | null;
            output_schema: {
                [key: string]: unknown;
            } | null;
            limits: {
                timeout_seconds: number | null;
                max_steps: number | null;
                budget_usd: number | null;
                max_concurrent_runs: number | null;
            };
            policies: string[];
            metadata: {
                [key: string]: string;
            };
            /** Format: date-time */
            created_at: string;
            /** Format: date-time */
            updated_at: string;
            /** Format: date-time */
            archived_at: string | null;
            /** @description The deployment that this made; null when nothing changed. */
            deployment: components["schemas"]["Deployment"] | null;
        };
        RequiredAction: {
            id: string;
            /** @enum {string} */
            type: "approval" | "input" | "reconcile";
            message: string;
            tool_call: {
                [key: string]: unknown;
            } | null;
            response_schema: {
                [key: string]: unknown;
            } | null;
            /** Format: date-time */
            expires_at: string;
        };
        /**
         * @description What a person may do in an organisation. Each role may do all that the ones after it may.
         * @enum {string}
         */
        Role: "owner" | "admin" | "developer" | "viewer";
        RollbackRule: {
            /** @enum {string} */
            metric: "failure_rate" | "latency_p95_ms" | "cost_per_run_usd";
            /** @description The canary is rolled back when the metric is beyond this with 99 % confidence. A rate is 0 to 1. */
            above: number;
            /**
             * @description Nothing is decided before so many runs of the canary have ended.
             * @default 50
             */
            min_runs?: number;
            /**
             * @description Runs that were created so long ago at the most.
             * @default 3600
             */
            window_seconds?: number;
        };
        RolledBackDeployment: {
            /** @example dep_01kf3xw0fqe1vrr9m8sdv2wbx4 */
            id: string;
            /** @enum {string} */
            object: "deployment";
            /** @example ag_01kf3xw0fqe1vrr9m8sdv2wbx4 */
            agent_id: string;
            version: number;
            /** @enum {string} */
            status: "active" | "canary" | "superseded" | "rolled_back";
            traffic_percent: number;
            rollback_rules: components["schemas"]["DeploymentRule"][];
            /** @example dep_01kf3xw0fqe1vrr9m8sdv2wbx4 */
            previous_deployment_id: string | null;
            /** @enum {string} */
            source: "hire" | "create" | "update" | "rollback";
            /** @description The key or the person; null: the operator, or the service itself. */
            created_by: string | null;
            /** Format: date-time */
            created_at: string;
            /** Format: date-time */
            rolled_back_at: string | null;
            rollback_reason: string | null;
            reason: string;
        };
        Rollout: {
            /** @enum {string} */
            strategy: "all_at_once";
        } | {
            /** @enum {string} */
            strategy: "canary";
            /** @description The share of the runs that the new version gets. */
            traffic_percent: number;
            /** @default [] */
            rollback_rules?: components["schemas"]["RollbackRule"][];
        };
        Run: {
            /** @example run_01kf3xw0fqe1vrr9m8sdv2wbx4 */
            id: string;
            /** @enum {string} */
            status: "queued" | "running" | "requires_action" | "cancelling" | "completed" | "failed" | "cancelled";
            /** @description The result; a text result stands in `result`. */
            output: {
                [key: string]: unknown;
            } | null;
            /** @description From created to finished; null before. */
            latency_ms: number | null;
            tokens_used: number;
            /** Format: date-time */
            created_at: string;
            /** @example ag_01kf3xw0fqe1vrr9m8sdv2wbx4 */
            agent_id: string;
            /** @enum {string} */
            object: "run";
            agent_version: number;
            deployment_id: string | null;
            input: {
                [key: string]: unknown;
            };
            error: components["schemas"]["RunError"] | null;
            required_actions: components["schemas"]["RequiredAction"][];
            usage: {
                input_tokens: number;
                output_tokens: number;
                cost_usd: number | null;
            };
            timing: {
                queue_ms: number | null;
                execution_ms: number | null;
                waiting_ms: number;
            };
            metadata: {
                [key: string]: string;
            };
            pipeline_run_id: string | null;
            parent_run_id: string | null;
            /** Format: date-time */
            started_at: string | null;
            /** Format: date-time */
            finished_at: string | null;
        };
        RunDiagnosis: {
            /** @example run_01kf3xw0fqe1vrr9m8sdv2wbx4 */
            run_id: string;
            /** @enum {string} */
            status: "queued" | "running" | "requires_action" | "cancelling" | "completed" | "failed" | "cancelled";
            /** @enum {string} */
            waiting_for: "slot" | "worker" | "provider" | "action" | "nothing";
            /** @description The same in words. */
            message: string;
            /** Format: date-time */
            since: string | null;
            queue_position: number | null;
            /** @description Runs of the organisation that hold its slots; ten at the most. */
            blocked_by: string[];
            /** Format: date-time */
            retry_at: string | null;
            action_ids: string[];
            /** Format: date-time */
            last_progress_at: string | null;
            /** Format: date-time */
            next_deadline_at: string | null;
        };
        RunError: {
            /** @enum {string} */
            code: "run_timeout" | "queue_timeout" | "action_timeout" | "budget_exceeded" | "guardrail_blocked" | "agent_error" | "model_error" | "tool_error" | "output_invalid" | "output_too_large" | "max_steps_exceeded" | "internal_error";
            message: string;
            retryable: boolean;
            details: {
                [key: string]: unknown;
            } | null;
        };
        RunFrame: {
            /** @enum {string} */
            type: "run.created" | "run.started" | "run.step.started" | "run.step.completed" | "run.tool_call.started" | "run.tool_call.completed" | "run.output.delta" | "run.output.reset" | "run.snapshot" | "run.requires_action" | "run.resumed" | "run.guardrail" | "run.cancelling" | "run.completed" | "run.failed" | "run.cancelled";
            /** @example run_01kf3xw0fqe1vrr9m8sdv2wbx4 */
            run_id: string;
            /** Format: date-time */
            created_at: string;
            /** @description The step that a delta, a reset or a tool call belongs to. */
            step?: number;
            /** @description A piece of the output. */
            delta?: string;
        } & {
            [key: string]: unknown;
        };
        RunList: {
            /** @enum {string} */
            object: "list";
            data: components["schemas"]["Run"][];
            has_more: boolean;
            first_id: string | null;
            last_id: string | null;
        };
        RunStep: {
            /** @enum {string} */
            object: "run_step";
            number: number;
            /** @enum {string} */
            type: "model" | "tools" | "remote";
            /** @enum {string} */
            status: "running" | "completed";
            model: string | null;
            /** @description What the model said in this step. */
            text: string | null;
            tool_calls: components["schemas"]["RunToolCall"][];
            /** @description What people decided in this step, and why. */
            decisions: {
                /** @example act_01kf3xw0fqe1vrr9m8sdv2wbx4 */
                action_id: string;
                /** @enum {string} */
                type: "approve" | "reject" | "respond";
                /** @description Who decided: a key, `key_…`, or a person, `usr_…`. */
                by: string;
                comment: string | null;
                /** Format: date-time */
                at: string;
            }[];
            usage: {
                input_tokens: number;
                output_tokens: number;
                cost_usd: number | null;
            };
            /** Format: date-time */
            started_at: string;
            /** Format: date-time */
            finished_at: string | null;
            duration_ms: number | null;
        };
        RunStepList: {
            /** @enum {string} */
            object: "list";
            data: components["schemas"]["RunStep"][];
            has_more: boolean;
            first_id: string | null;
            last_id: string | null;
        };
        RunToolCall: {
            name: string;
            connector_id: string | null;
            arguments: {
                [key: string]: unknown;
            };
            /** @enum {string} */
            status: "waiting" | "started" | "completed" | "failed";
            /** @description What the tool answered; null before. */
            result?: unknown;
            /** @description Who let it pass, or did not, and why. */
            decision: {
                /** @example act_01kf3xw0fqe1vrr9m8sdv2wbx4 */
                action_id: string;
                /** @enum {string} */
                type: "approve" | "reject" | "respond";
                /** @description Who decided: a key, `key_…`, or a person, `usr_…`. */
                by: string;
                comment: string | null;
                /** Format: date-time */
                at: string;
            } | null;
            /** Format: date-time */
            started_at: string | null;
            /** Format: date-time */
            finished_at: string | null;
        };
        SendAction: {
            /** @enum {string} */
            type: "approve" | "reject" | "respond" | "message";
            /**
             * @description May be left out when exactly one action is open.
             * @example act_01kf3xw0fqe1vrr9m8sdv2wbx4
             */
            action_id?: string;
            /** @description Why. It is recorded. */
            comment?: string;
            /** @description For `respond`: what the action asked for. For `message`: `{"message": "…"}`. */
            payload?: unknown;
        };
        Session: {
            /** @enum {string} */
            object: "session";
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "session";
            /** @example ses_01kf3xw0fqe1vrr9m8sdv2wbx4 */
            id: string;
            user: components["schemas"]["User"];
            /** @description The organisation that this session speaks for. */
            organisation: {
                /** @example org_01kf3xw0fqe1vrr9m8sdv2wbx4 */
                id: string;
                name: string;
                /** @enum {string} */
                plan: "demo" | "free" | "developer" | "business" | "enterprise";
            };
            role: components["schemas"]["Role"];
            scopes: ("runs:read" | "runs:write" | "agents:read" | "agents:write" | "webhooks:read" | "webhooks:write" | "keys:read" | "keys:write" | "usage:read" | "analytics:read" | "pipelines:read" | "pipelines:write" | "policies:read" | "policies:write" | "connectors:read" | "connectors:write" | "alerts:read" | "alerts:write" | "events:read" | "audit:read" | "members:write")[];
            /** @description All organisations of the person. */
            organisations: {
                /** @example org_01kf3xw0fqe1vrr9m8sdv2wbx4 */
                id: string;
                name: string;
                role: components["schemas"]["Role"];
            }[];
            /**
             * Format: date-time
             * @description The end; it comes earlier when the session is not used.
             */
            expires_at: string;
        };
        SessionRecord: {
            /** @example ses_01kf3xw0fqe1vrr9m8sdv2wbx4 */
            id: string;
            /** @enum {string} */
            object: "session_record";
            /** @example org_01kf3xw0fqe1vrr9m8sdv2wbx4 */
            organisation_id: string;
            is_current: boolean;
            /** Format: date-time */
            created_at: string;
            /**
             * Format: date-time
             * @description When it was last used, to within a minute or so.
             */
            seen_at: string;
            /** Format: date-time */
            expires_at: string;
            /** Format: date-time */
            ended_at: string | null;
            /** @description Where it was started from. */
            address: string | null;
            user_agent: string | null;
        };
        SessionRecordList: {
            /** @enum {string} */
            object: "list";
            data: components["schemas"]["SessionRecord"][];
            has_more: boolean;
            first_id: string | null;
            last_id: string | null;
        };
        SessionToken: {
            /** @enum {string} */
            object: "session_token";
            /** @description The whole token, in this answer only. */
            token: string;
            scopes: ("runs:read" | "runs:write" | "agents:read" | "agents:write" | "webhooks:read" | "webhooks:write" | "keys:read" | "keys:write" | "usage:read" | "analytics:read" | "pipelines:read" | "pipelines:write" | "policies:read" | "policies:write" | "connectors:read" | "connectors:write" | "alerts:read" | "alerts:write" | "events:read" | "audit:read" | "members:write")[];
            /**
             * @description The only run that the token may touch; null: any.
             * @example run_01kf3xw0fqe1vrr9m8sdv2wbx4
             */
            run_id: string | null;
            /** Format: date-time */
            expires_at: string;
        };
        TestEventData: {
            message: string;
            /** @example wh_01kf3xw0fqe1vrr9m8sdv2wbx4 */
            webhook_id: string;
        };
        UpdateAgent: {
            name?: string | null;
            description?: string | null;
            config?: components["schemas"]["AgentConfig"] | null;
            input_schema?: {
                [key: string]: unknown;
            } | null;
            output_schema?: {
                [key: string]: unknown;
            } | null;
            limits?: components["schemas"]["AgentLimits"] | null;
            policies?: string[] | null;
            metadata?: {
                [key: string]: string | null;
            } | null;
            /** @description Takes this version of the catalog’s agent: what you have changed since you hired it stays as you have it. */
            catalog_version?: number;
            /** @description The version that you have seen. When it is no longer the newest, nothing changes (`version_conflict`). */
            version?: number;
            rollout?: components["schemas"]["Rollout"];
        };
        UpdateApiKey: {
            name?: string;
            /**
             * @description One or several of runs:read, runs:write, agents:read, agents:write, webhooks:read, webhooks:write, keys:read, keys:write, usage:read, analytics:read, pipelines:read, pipelines:write, policies:read, policies:write, connectors:read, connectors:write, alerts:read, alerts:write, events:read, audit:read, members:write. There is no wildcard.
             * @example [
             *       "runs:write"
             *     ]
             */
            scopes?: string[];
            /** @description Narrows the key to these agents. Null, or left out: every agent of the organisation. */
            agent_ids?: string[] | null;
            /**
             * Format: date-time
             * @description When the key stops working. Null, or left out: never.
             */
            expires_at?: string | null;
        };
        UpdateWebhook: {
            /** @description HTTPS, port 443 or one that the operator allows, and a host of the public Internet. */
            url?: string;
            /** @description Types of events; `*` stands for all. */
            events?: string[];
            /** @description True also enables one that the service has disabled. */
            active?: boolean;
            description?: string | null;
        };
        User: {
            /** @example usr_01kf3xw0fqe1vrr9m8sdv2wbx4 */
            id: string;
            email: string;
            name: string;
        };
        Webhook: {
            /** @example wh_01kf3xw0fqe1vrr9m8sdv2wbx4 */
            id: string;
            /** @enum {string} */
            object: "webhook";
            url: string;
            /** @description Types of events; `*` stands for all. */
            events: string[];
            /** @description Whether deliveries are sent. */
            active: boolean;
            description: string | null;
            /** @description The end of the signing secret, so that people can tell two apart. */
            secret_hint: string;
            /** @enum {string} */
            status: "healthy" | "failing" | "disabled";
            /** Format: date-time */
            disabled_at: string | null;
            /**
             * @description `paused` by a person, `gone` by the receiver’s 410, `failing` by days of nothing but failure.
             * @enum {string|null}
             */
            disabled_reason: "paused" | "gone" | "failing" | null;
            /** Format: date-time */
            failing_since: string | null;
            /**
             * Format: date-time
             * @description Events since then may not have been delivered: `POST /webhooks/{id}/recover` sends them.
             */
            missed_since: string | null;
            /** Format: date-time */
            created_at: string;
        };
        WebhookList: {
            /** @enum {string} */
            object: "list";
            data: components["schemas"]["Webhook"][];
            has_more: boolean;
            first_id: string | null;
            last_id: string | null;
        };
        WebhookWithSecret: {
            /** @example wh_01kf3xw0fqe1vrr9m8sdv2wbx4 */
            id: string;
            /** @enum {string} */
            object: "webhook";
            url: string;
            /** @description Types of events; `*` stands for all. */
            events: string[];
            /** @description Whether deliveries are sent. */
            active: boolean;
            description: string | null;
            /** @description The end of the signing secret, so that people can tell two apart. */
            secret_hint: string;
            /** @enum {string} */
            status: "healthy" | "failing" | "disabled";
            /** Format: date-time */
            disabled_at: string | null;
            /**
             * @description `paused` by a person, `gone` by the receiver’s 410, `failing` by days of nothing but failure.
             * @enum {string|null}
             */
            disabled_reason: "paused" | "gone" | "failing" | null;
            /** Format: date-time */
            failing_since: string | null;
            /**
             * Format: date-time
             * @description Events since then may not have been delivered: `POST /webhooks/{id}/recover` sends them.
             */
            missed_since: string | null;
            /** Format: date-time */
            created_at: string;
            /** @description Shown once. Null in a replayed answer. */
            secret: string | null;
        };
    };
    responses: never;
    parameters: never;
    requestBodies: never;
    headers: never;
    pathItems: never;
}
export interface operations {
    "runs.list": {
        parameters: {
            query?: {
                /** @description How many at the most, 1 to 100; 20 unless told. */
                limit?: number;
                /** @description The page that follows this id. */
                after?: string;
                /** @description The page that precedes this id. */
                before?: string;
                agent_id?: string;
                /** @description One or several of queued, running, requires_action, cancelling, completed, failed, cancelled, with commas between. */
                status?: string;
                created_after?: string;
                created_before?: string;
                pipeline_run_id?: string;
                /** @description As `metadata[key]=value`; all that are given must fit. */
                metadata?: {
                    [key: string]: string;
                };
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RunList"];
                };
            };
        };
    };
    "runs.create": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["CreateRun"];
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Run"];
                };
            };
            /** @description Accepted, and not finished yet. */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Run"];
                };
            };
        };
    };
    "runs.stream": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["CreateRun"];
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/event-stream": components["schemas"]["RunFrame"];
                };
            };
        };
    };
    "runs.get": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Run"];
                };
            };
        };
    };
    "runs.cancel": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Run"];
                };
            };
        };
    };
    "runs.watch": {
        parameters: {
            query?: {
                /** @description Frames that follow this one; `Last-Event-ID` says the same. */
                after?: number;
            };
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/event-stream": components["schemas"]["RunFrame"];
                };
            };
        };
    };
    "runs.steps": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RunStepList"];
                };
            };
        };
    };
    "runs.diagnose": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RunDiagnosis"];
                };
            };
        };
    };
    "runs.act": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["SendAction"];
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Run"];
                };
            };
        };
    };
    "runs.erase": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Run"];
                };
            };
        };
    };
    "agents.list": {
        parameters: {
            query?: {
                /** @description How many at the most, 1 to 100; 20 unless told. */
                limit?: number;
                /** @description The page that follows this id. */
                after?: string;
                /** @description The page that precedes this id. */
                before?: string;
                status?: "active" | "archived";
                source?: "catalog" | "custom";
                /** @description Stands in the name or the description. */
                q?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AgentList"];
                };
            };
        };
    };
    "agents.get": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Agent"];
                };
            };
        };
    };
    "agents.archive": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Agent"];
                };
            };
        };
    };
    "agents.update": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["UpdateAgent"];
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ReleasedAgent"];
                };
            };
        };
    };
    "agents.hire": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                catalog_key: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": {
                    name?: string;
                    /** @description What shall differ from the catalog, such as `model`. Objects are merged, lists replaced. */
                    config?: components["schemas"]["AgentConfig"];
                    metadata?: {
                        [key: string]: string;
                    };
                };
            };
        };
        responses: {
            /** @description Created. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ReleasedAgent"];
                };
            };
        };
    };
    "agents.create": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["CreateAgent"];
            };
        };
        responses: {
            /** @description Created. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["NewAgent"];
                };
            };
        };
    };
    "agents.versions": {
        parameters: {
            query?: {
                /** @description How many at the most, 1 to 100; 20 unless told. */
                limit?: number;
                /** @description The page that follows this id. */
                after?: number;
                /** @description The page that precedes this id. */
                before?: number;
            };
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AgentVersionList"];
                };
            };
        };
    };
    "agents.version": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
                version: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AgentVersion"];
                };
            };
        };
    };
    "agents.diff": {
        parameters: {
            query: {
                to: number;
            };
            header?: never;
            path: {
                id: string;
                version: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AgentDiff"];
                };
            };
        };
    };
    "catalog.list": {
        parameters: {
            query?: {
                /** @description How many at the most, 1 to 100; 20 unless told. */
                limit?: number;
                /** @description The page that follows this id. */
                after?: string;
                /** @description The page that precedes this id. */
                before?: string;
                q?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CatalogAgentList"];
                };
            };
        };
    };
    "catalog.get": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                key: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CatalogAgent"];
                };
            };
        };
    };
    "deployments.list": {
        parameters: {
            query?: {
                /** @description How many at the most, 1 to 100; 20 unless told. */
                limit?: number;
                /** @description The page that follows this id. */
                after?: string;
                /** @description The page that precedes this id. */
                before?: string;
                agent_id?: string;
                status?: "active" | "canary" | "superseded" | "rolled_back";
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DeploymentList"];
                };
            };
        };
    };
    "deployments.get": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Deployment"];
                };
            };
        };
    };
    "deployments.promote": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": {
                    traffic_percent?: number;
                };
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Deployment"];
                };
            };
        };
    };
    "deployments.rollback": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @description Why, for those who come after. */
                    reason: string;
                };
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Deployment"];
                };
            };
        };
    };
    "connectors.list": {
        parameters: {
            query?: {
                /** @description How many at the most, 1 to 100; 20 unless told. */
                limit?: number;
                /** @description The page that follows this id. */
                after?: string;
                /** @description The page that precedes this id. */
                before?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ConnectorList"];
                };
            };
        };
    };
    "connectors.create": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["CreateConnector"];
            };
        };
        responses: {
            /** @description Created. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Connector"];
                };
            };
        };
    };
    "connectors.get": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Connector"];
                };
            };
        };
    };
    "connectors.delete": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Connector"];
                };
            };
        };
    };
    "webhooks.list": {
        parameters: {
            query?: {
                /** @description How many at the most, 1 to 100; 20 unless told. */
                limit?: number;
                /** @description The page that follows this id. */
                after?: string;
                /** @description The page that precedes this id. */
                before?: string;
                status?: "healthy" | "failing" | "disabled";
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WebhookList"];
                };
            };
        };
    };
    "webhooks.create": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["CreateWebhook"];
            };
        };
        responses: {
            /** @description Created. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WebhookWithSecret"];
                };
            };
        };
    };
    "webhooks.get": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Webhook"];
                };
            };
        };
    };
    "webhooks.delete": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Webhook"];
                };
            };
        };
    };
    "webhooks.update": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["UpdateWebhook"];
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Webhook"];
                };
            };
        };
    };
    "webhooks.rotateSecret": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": {
                    /** @description Your own signing secret, `whsec_…`. Left out: the service makes one. */
                    secret?: string;
                    overlap_hours?: number;
                };
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WebhookWithSecret"];
                };
            };
        };
    };
    "webhooks.test": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": {
                    /** @description Whose sample is sent; `test` unless told. */
                    event_type?: string;
                };
            };
        };
        responses: {
            /** @description Created. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Delivery"];
                };
            };
        };
    };
    "webhooks.deliveries": {
        parameters: {
            query?: {
                /** @description How many at the most, 1 to 100; 20 unless told. */
                limit?: number;
                /** @description The page that follows this id. */
                after?: string;
                /** @description The page that precedes this id. */
                before?: string;
                status?: "pending" | "succeeded" | "failed";
                event_id?: string;
                event_type?: "run.completed" | "run.failed" | "deployment.created" | "deployment.rollback" | "alert.triggered" | "agent.updated" | "pipeline.completed" | "run.requires_action" | "run.cancelled" | "webhook.disabled" | "test";
                created_after?: string;
                created_before?: string;
            };
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DeliveryList"];
                };
            };
        };
    };
    "webhooks.delivery": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
                delivery_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Delivery"];
                };
            };
        };
    };
    "webhooks.redeliver": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
                delivery_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Created. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Delivery"];
                };
            };
        };
    };
    "webhooks.missed": {
        parameters: {
            query?: {
                /** @description How many at the most, 1 to 100; 20 unless told. */
                limit?: number;
                /** @description The page that follows this id. */
                after?: string;
                /** @description The page that precedes this id. */
                before?: string;
                since?: string;
                until?: string;
            };
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["EventList"];
                };
            };
        };
    };
    "webhooks.recover": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /**
                     * Format: date-time
                     * @example 2026-01-15T09:30:00Z
                     */
                    since: string;
                    /**
                     * Format: date-time
                     * @description Now unless told.
                     */
                    until?: string;
                };
            };
        };
        responses: {
            /** @description Created. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Recovery"];
                };
            };
        };
    };
    "webhooks.recoveries": {
        parameters: {
            query?: {
                /** @description How many at the most, 1 to 100; 20 unless told. */
                limit?: number;
                /** @description The page that follows this id. */
                after?: string;
                /** @description The page that precedes this id. */
                before?: string;
            };
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RecoveryList"];
                };
            };
        };
    };
    "webhooks.recovery": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
                recovery_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Recovery"];
                };
            };
        };
    };
    "webhooks.cancelRecovery": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
                recovery_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Recovery"];
                };
            };
        };
    };
    "events.list": {
        parameters: {
            query?: {
                /** @description How many at the most, 1 to 100; 20 unless told. */
                limit?: number;
                /** @description The page that follows this id. */
                after?: string;
                /** @description The page that precedes this id. */
                before?: string;
                /** @description One or several types, with commas between. */
                type?: string;
                created_after?: string;
                created_before?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["EventList"];
                };
            };
        };
    };
    "events.get": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Event"];
                };
            };
        };
    };
    "events.watch": {
        parameters: {
            query?: {
                /** @description One or several types, with commas between. */
                type?: string;
                /** @description Events that follow this one; `Last-Event-ID` says the same. */
                after?: string;
                /** @description Events since then. */
                since?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/event-stream": components["schemas"]["Event"];
                };
            };
        };
    };
    "apiKeys.list": {
        parameters: {
            query?: {
                /** @description How many at the most, 1 to 100; 20 unless told. */
                limit?: number;
                /** @description The page that follows this id. */
                after?: string;
                /** @description The page that precedes this id. */
                before?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiKeyList"];
                };
            };
        };
    };
    "apiKeys.create": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["CreateApiKey"];
            };
        };
        responses: {
            /** @description Created. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["NewApiKey"];
                };
            };
        };
    };
    "apiKeys.get": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiKey"];
                };
            };
        };
    };
    "apiKeys.revoke": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiKey"];
                };
            };
        };
    };
    "apiKeys.update": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["UpdateApiKey"];
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiKey"];
                };
            };
        };
    };
    "apiKeys.rotate": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Created. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["NewApiKey"];
                };
            };
        };
    };
    "sessionTokens.create": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["CreateSessionToken"];
            };
        };
        responses: {
            /** @description Created. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SessionToken"];
                };
            };
        };
    };
    "auth.login": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /**
                     * @description Capitals and spaces around it do not matter.
                     * @example ada@example.com
                     */
                    email: string;
                    /** Format: password */
                    password: string;
                    /**
                     * @description Which of your organisations the session speaks for; the one that you joined first unless told.
                     * @example org_01kf3xw0fqe1vrr9m8sdv2wbx4
                     */
                    organisation_id?: string;
                };
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Session"];
                };
            };
        };
    };
    "auth.logout": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SessionRecord"];
                };
            };
        };
    };
    "auth.me": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Me"];
                };
            };
        };
    };
    "auth.switchOrganisation": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @example org_01kf3xw0fqe1vrr9m8sdv2wbx4 */
                    organisation_id: string;
                };
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Session"];
                };
            };
        };
    };
    "auth.changePassword": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** Format: password */
                    current_password: string;
                    /**
                     * Format: password
                     * @description 12 to 1000 characters, of any kind.
                     */
                    new_password: string;
                };
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Session"];
                };
            };
        };
    };
    "auth.resetPassword": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @description What stands behind `#token=` in the link. */
                    token: string;
                    /**
                     * Format: password
                     * @description 12 to 1000 characters, of any kind.
                     */
                    password: string;
                };
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PasswordReset"];
                };
            };
        };
    };
    "auth.acceptInvitation": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @description What stands behind `#token=` in the link. */
                    token: string;
                    /** @description For a new account. */
                    name?: string;
                    /**
                     * Format: password
                     * @description 12 to 1000 characters, of any kind.
                     */
                    password: string;
                };
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Session"];
                };
            };
        };
    };
    "sessions.list": {
        parameters: {
            query?: {
                /** @description How many at the most, 1 to 100; 20 unless told. */
                limit?: number;
                /** @description The page that follows this id. */
                after?: string;
                /** @description The page that precedes this id. */
                before?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SessionRecordList"];
                };
            };
        };
    };
    "sessions.end": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SessionRecord"];
                };
            };
        };
    };
    "members.list": {
        parameters: {
            query?: {
                /** @description How many at the most, 1 to 100; 20 unless told. */
                limit?: number;
                /** @description The page that follows this id. */
                after?: string;
                /** @description The page that precedes this id. */
                before?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["MemberList"];
                };
            };
        };
    };
    "members.invitations": {
        parameters: {
            query?: {
                /** @description How many at the most, 1 to 100; 20 unless told. */
                limit?: number;
                /** @description The page that follows this id. */
                after?: string;
                /** @description The page that precedes this id. */
                before?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["InvitationList"];
                };
            };
        };
    };
    "members.invite": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /**
                     * @description Capitals and spaces around it do not matter.
                     * @example ada@example.com
                     */
                    email: string;
                    role: components["schemas"]["Role"];
                };
            };
        };
        responses: {
            /** @description Created. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["NewInvitation"];
                };
            };
        };
    };
    "members.revokeInvitation": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Invitation"];
                };
            };
        };
    };
    "members.remove": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Member"];
                };
            };
        };
    };
    "members.update": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    role: components["schemas"]["Role"];
                };
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Member"];
                };
            };
        };
    };
    "members.resetPassword": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /**
                     * @description Whose password it is.
                     * @example mem_01kf3xw0fqe1vrr9m8sdv2wbx4
                     */
                    member_id: string;
                };
            };
        };
        responses: {
            /** @description Created. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PasswordResetLink"];
                };
            };
        };
    };
    "auditLog.list": {
        parameters: {
            query?: {
                /** @description How many at the most, 1 to 100; 20 unless told. */
                limit?: number;
                /** @description The page that follows this id. */
                after?: string;
                /** @description The page that precedes this id. */
                before?: string;
                /** @description What this key or this person did. */
                actor?: string;
                action?: string;
                /** @description What was done to this thing. */
                subject?: string;
                created_after?: string;
                created_before?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AuditEntryList"];
                };
            };
        };
    };
    "events.on.run.completed": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @example evt_01kf3xw0fqe1vrr9m8sdv2wbx4 */
                    id: string;
                    /** @enum {string} */
                    type: "run.completed";
                    /** Format: date-time */
                    created_at: string;
                    data: components["schemas"]["Run"];
                };
            };
        };
        responses: {
            /** @description Acknowledges the event. It must come, as a whole, within 10 seconds. */
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    "events.on.run.failed": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @example evt_01kf3xw0fqe1vrr9m8sdv2wbx4 */
                    id: string;
                    /** @enum {string} */
                    type: "run.failed";
                    /** Format: date-time */
                    created_at: string;
                    data: components["schemas"]["Run"];
                };
            };
        };
        responses: {
            /** @description Acknowledges the event. It must come, as a whole, within 10 seconds. */
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    "events.on.deployment.created": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @example evt_01kf3xw0fqe1vrr9m8sdv2wbx4 */
                    id: string;
                    /** @enum {string} */
                    type: "deployment.created";
                    /** Format: date-time */
                    created_at: string;
                    data: components["schemas"]["Deployment"];
                };
            };
        };
        responses: {
            /** @description Acknowledges the event. It must come, as a whole, within 10 seconds. */
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    "events.on.deployment.rollback": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @example evt_01kf3xw0fqe1vrr9m8sdv2wbx4 */
                    id: string;
                    /** @enum {string} */
                    type: "deployment.rollback";
                    /** Format: date-time */
                    created_at: string;
                    data: components["schemas"]["RolledBackDeployment"];
                };
            };
        };
        responses: {
            /** @description Acknowledges the event. It must come, as a whole, within 10 seconds. */
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    "events.on.alert.triggered": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @example evt_01kf3xw0fqe1vrr9m8sdv2wbx4 */
                    id: string;
                    /** @enum {string} */
                    type: "alert.triggered";
                    /** Format: date-time */
                    created_at: string;
                    data: components["schemas"]["Alert"];
                };
            };
        };
        responses: {
            /** @description Acknowledges the event. It must come, as a whole, within 10 seconds. */
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    "events.on.agent.updated": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @example evt_01kf3xw0fqe1vrr9m8sdv2wbx4 */
                    id: string;
                    /** @enum {string} */
                    type: "agent.updated";
                    /** Format: date-time */
                    created_at: string;
                    data: components["schemas"]["ChangedAgent"];
                };
            };
        };
        responses: {
            /** @description Acknowledges the event. It must come, as a whole, within 10 seconds. */
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    "events.on.pipeline.completed": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @example evt_01kf3xw0fqe1vrr9m8sdv2wbx4 */
                    id: string;
                    /** @enum {string} */
                    type: "pipeline.completed";
                    /** Format: date-time */
                    created_at: string;
                    data: components["schemas"]["PipelineRun"];
                };
            };
        };
        responses: {
            /** @description Acknowledges the event. It must come, as a whole, within 10 seconds. */
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    "events.on.run.requires_action": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @example evt_01kf3xw0fqe1vrr9m8sdv2wbx4 */
                    id: string;
                    /** @enum {string} */
                    type: "run.requires_action";
                    /** Format: date-time */
                    created_at: string;
                    data: components["schemas"]["Run"];
                };
            };
        };
        responses: {
            /** @description Acknowledges the event. It must come, as a whole, within 10 seconds. */
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    "events.on.run.cancelled": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @example evt_01kf3xw0fqe1vrr9m8sdv2wbx4 */
                    id: string;
                    /** @enum {string} */
                    type: "run.cancelled";
                    /** Format: date-time */
                    created_at: string;
                    data: components["schemas"]["Run"];
                };
            };
        };
        responses: {
            /** @description Acknowledges the event. It must come, as a whole, within 10 seconds. */
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    "events.on.webhook.disabled": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @example evt_01kf3xw0fqe1vrr9m8sdv2wbx4 */
                    id: string;
                    /** @enum {string} */
                    type: "webhook.disabled";
                    /** Format: date-time */
                    created_at: string;
                    data: components["schemas"]["DisabledWebhook"];
                };
            };
        };
        responses: {
            /** @description Acknowledges the event. It must come, as a whole, within 10 seconds. */
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    "events.on.test": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @example evt_01kf3xw0fqe1vrr9m8sdv2wbx4 */
                    id: string;
                    /** @enum {string} */
                    type: "test";
                    /** Format: date-time */
                    created_at: string;
                    data: components["schemas"]["TestEventData"];
                };
            };
        };
        responses: {
            /** @description Acknowledges the event. It must come, as a whole, within 10 seconds. */
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
}
