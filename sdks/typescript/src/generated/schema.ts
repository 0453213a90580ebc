// Made by `pnpm gen` from packages/contract/openapi.json. Change the contract, not this file.

export interface components {
    schemas: {
        AcceptInvitation: {
            /** @description The part of the link after `#token=`. */
            token: string;
            /** @description For a new account. */
            name?: string;
            /**
             * Format: password
             * @description 12 to 1000 characters of any kind.
             */
            password: string;
        };
        ActionDecision: {
            /**
             * @description The id of an action.
             * @example act_01kf3xw0fqe1vrr9m8sdv2wbx4
             */
            action_id: string;
            type: components["schemas"]["DecisionType"];
            /** @description Who decided: an API key (`key_…`) or a person (`usr_…`). */
            by: string;
            /** @description The reason that was given. */
            comment: string | null;
            /**
             * Format: date-time
             * @description When it was decided.
             */
            at: string;
        };
        /** @description The number of runs in each state. Runs that have ended are not counted. */
        ActiveRuns: {
            /**
             * Format: int64
             * @description Runs that wait for a slot.
             */
            queued: number;
            /**
             * Format: int64
             * @description Runs in execution.
             */
            running: number;
            /**
             * Format: int64
             * @description Runs that wait for a person.
             */
            requires_action: number;
            /**
             * Format: int64
             * @description Runs that are being cancelled.
             */
            cancelling: number;
        };
        /** @description A program that runs on a model or behind your endpoint. */
        Agent: {
            /**
             * @description The id of an agent.
             * @example ag_01kf3xw0fqe1vrr9m8sdv2wbx4
             */
            id: string;
            /**
             * @description Always `agent`.
             * @constant
             */
            object: "agent";
            /** @description The name of the agent. */
            name: string;
            /** @description What the agent does, for people. */
            description: string | null;
            status: components["schemas"]["AgentStatus"];
            kind: components["schemas"]["AgentKind"];
            source: components["schemas"]["AgentSource"];
            /** @description The catalog agent that was hired; null for a custom agent. */
            catalog_key: string | null;
            /**
             * Format: int64
             * @description The version of the catalog agent that was hired.
             */
            catalog_version: number | null;
            /**
             * Format: int64
             * @description The current version in the catalog. To adopt it, send `PATCH {"catalog_version": n}`.
             */
            catalog_latest: number | null;
            /**
             * Format: int64
             * @description The newest released version, fully or as a canary.
             */
            version: number;
            /** @description Model, instructions and tools, or the endpoint of a remote agent. */
            config: {
                [key: string]: unknown;
            };
            /** @description JSON Schema that the input of a run must match. */
            input_schema: {
                [key: string]: unknown;
            } | null;
            /** @description JSON Schema that the output of a run must match. */
            output_schema: {
                [key: string]: unknown;
            } | null;
            limits: components["schemas"]["AgentLimits"];
            /** @description The guardrail policies that apply to its runs, by name. */
            policies: string[];
            /** @description Your own key-value pairs. */
            metadata: {
                [key: string]: string;
            };
            /**
             * Format: date-time
             * @description When it was created.
             */
            created_at: string;
            /**
             * Format: date-time
             * @description When it was last changed.
             */
            updated_at: string;
            /**
             * Format: date-time
             * @description When it was archived; null if it is active.
             */
            archived_at: string | null;
        };
        AgentChange: {
            /**
             * @description The path of the field.
             * @example config.temperature
             */
            path: string;
            /** @description The old value; null if there was none. */
            old?: unknown;
            /** @description The new value; null if there is none. */
            new?: unknown;
        };
        /**
         * @description Use the fields of the agent’s kind. Null clears a field. An invalid configuration returns 422 with the path of each error.
         * @example {
         *       "model": "simulated/echo",
         *       "instructions": "Answer in one sentence."
         *     }
         */
        AgentConfigInput: {
            /** @description `provider/model`. Required for `llm`. */
            model?: string | null;
            /** @description System prompt. For `llm`. */
            instructions?: string | null;
            /**
             * Format: double
             * @description Sampling temperature. For `llm`.
             */
            temperature?: number | null;
            /**
             * Format: int64
             * @description Maximum output tokens of one model call. For `llm`.
             */
            max_output_tokens?: number | null;
            /** @description Connectors whose tools the agent can use. For `llm`. */
            tools?: components["schemas"]["AgentTool"][] | null;
            /** @description For `llm` with the model `simulated/script`: the scripted turns. */
            script?: unknown[] | null;
            /** @description Your endpoint: HTTPS on a public host. Required for `remote`. */
            url?: string | null;
            /** @description How the service authenticates at your endpoint; stored encrypted. For `remote`. */
            auth?: components["schemas"]["ConnectorAuthInput"];
        };
        AgentDiff: {
            /**
             * @description Always `agent_diff`.
             * @constant
             */
            object: "agent_diff";
            /**
             * @description The id of an agent.
             * @example ag_01kf3xw0fqe1vrr9m8sdv2wbx4
             */
            agent_id: string;
            /**
             * Format: int64
             * @description The version that is compared.
             */
            from: number;
            /**
             * Format: int64
             * @description The version that it is compared with.
             */
            to: number;
            /** @description The fields that differ. */
            changes: components["schemas"]["AgentChange"][];
        };
        /**
         * @description `llm`: the service calls a model. `remote`: the service calls your HTTPS endpoint.
         * @enum {string}
         */
        AgentKind: "llm" | "remote";
        /** @description The limits of its runs. Null: the limit of the plan applies. */
        AgentLimits: {
            /**
             * Format: int64
             * @description Seconds after which a run fails with `run_timeout`.
             */
            timeout_seconds: number | null;
            /**
             * Format: int64
             * @description The maximum number of steps of a run.
             */
            max_steps: number | null;
            /**
             * Format: double
             * @description The maximum cost of a run in US dollars.
             */
            budget_usd: number | null;
            /**
             * Format: int64
             * @description The maximum number of runs at the same time.
             */
            max_concurrent_runs: number | null;
            /** @description Who may approve actions of its runs; null: anyone with `runs:approve`. */
            approval: components["schemas"]["ApprovalRule"] | null;
        };
        /** @description Null or omitted: the limits of the plan apply. */
        AgentLimitsInput: {
            /**
             * Format: int64
             * @description Seconds after which a run fails with `run_timeout`.
             */
            timeout_seconds?: number | null;
            /**
             * Format: int64
             * @description The maximum number of steps of a run.
             */
            max_steps?: number | null;
            /**
             * Format: double
             * @description The maximum cost of a run in US dollars.
             */
            budget_usd?: number | null;
            /**
             * Format: int64
             * @description The maximum number of runs at the same time.
             */
            max_concurrent_runs?: number | null;
            approval?: components["schemas"]["ApprovalRuleInput"] | null;
        };
        /** @description One page of a list. */
        AgentList: {
            /**
             * @description Always `list`.
             * @constant
             */
            object: "list";
            /** @description The items of this page. */
            data: components["schemas"]["Agent"][];
            /** @description Whether more items follow in the direction of the request. A page of large items ends before `limit`. */
            has_more: boolean;
            /** @description The first id of this page. Send it as `before` for newer items. */
            first_id: string | null;
            /** @description The last id of this page. Send it as `after` for older items. */
            last_id: string | null;
        };
        /**
         * @description Whether it was hired from the catalog or created by the organisation.
         * @enum {string}
         */
        AgentSource: "catalog" | "custom";
        AgentStats: {
            /**
             * @description Always `agent_stats`.
             * @constant
             */
            object: "agent_stats";
            /**
             * @description The id of an agent.
             * @example ag_01kf3xw0fqe1vrr9m8sdv2wbx4
             */
            agent_id: string;
            runs: components["schemas"]["ActiveRuns"];
            /** @description True: counting stopped at 10,000 runs in all. */
            is_capped: boolean;
        };
        /**
         * @description `archived`: it accepts no new runs and no changes.
         * @enum {string}
         */
        AgentStatus: "active" | "archived";
        AgentTool: {
            /**
             * @description The id of a connector.
             * @example con_01kf3xw0fqe1vrr9m8sdv2wbx4
             */
            connector_id: string;
            /** @description The tools that the agent can use, if they are approved. Omitted: all approved tools. Empty: none. */
            allow?: string[];
            /** @description Tools whose calls wait for a person, beside those that do by default: tools without `readOnlyHint` whose `destructiveHint` is not false. An empty list asks nobody, not even by default. */
            require_approval?: string[];
        };
        /** @description The configuration of an agent changed. */
        AgentUpdatedEvent: {
            /**
             * @description The id of an event.
             * @example evt_01kf3xw0fqe1vrr9m8sdv2wbx4
             */
            id: string;
            /**
             * @description The type of the event. (enum property replaced by openapi-typescript)
             * @enum {string}
             */
            type: "agent.updated";
            /**
             * Format: date-time
             * @description When it happened.
             */
            created_at: string;
            data: components["schemas"]["ChangedAgent"];
        };
        /** @description One version of an agent. It never changes. */
        AgentVersion: {
            /**
             * @description Always `agent_version`.
             * @constant
             */
            object: "agent_version";
            /**
             * @description The id of an agent.
             * @example ag_01kf3xw0fqe1vrr9m8sdv2wbx4
             */
            agent_id: string;
            /**
             * Format: int64
             * @description The number of the version, from 1.
             */
            version: number;
            /** @description The name of the agent. */
            name: string;
            /** @description What the agent does, for people. */
            description: string | null;
            /** @description Model, instructions and tools, or the endpoint of a remote agent. */
            config: {
                [key: string]: unknown;
            };
            /** @description JSON Schema that the input of a run must match. */
            input_schema: {
                [key: string]: unknown;
            } | null;
            /** @description JSON Schema that the output of a run must match. */
            output_schema: {
                [key: string]: unknown;
            } | null;
            limits: components["schemas"]["AgentLimits"];
            /** @description The guardrail policies that apply to its runs, by name. */
            policies: string[];
            /** @description Your own key-value pairs. */
            metadata: {
                [key: string]: string;
            };
            /** @description The key or person that created the version; null for the operator. */
            created_by: string | null;
            /**
             * Format: date-time
             * @description When it was created.
             */
            created_at: string;
        };
        /** @description One page of a list. */
        AgentVersionList: {
            /**
             * @description Always `list`.
             * @constant
             */
            object: "list";
            /** @description The items of this page. */
            data: components["schemas"]["AgentVersion"][];
            /** @description Whether more items follow in the direction of the request. A page of large items ends before `limit`. */
            has_more: boolean;
            /** @description The first id of this page. Send it as `before` for newer items. */
            first_id: string | null;
            /** @description The last id of this page. Send it as `after` for older items. */
            last_id: string | null;
        };
        AgentWithSecret: {
            /**
             * @description The id of an agent.
             * @example ag_01kf3xw0fqe1vrr9m8sdv2wbx4
             */
            id: string;
            /**
             * @description Always `agent`.
             * @constant
             */
            object: "agent";
            /** @description The name of the agent. */
            name: string;
            /** @description What the agent does, for people. */
            description: string | null;
            status: components["schemas"]["AgentStatus"];
            kind: components["schemas"]["AgentKind"];
            source: components["schemas"]["AgentSource"];
            /** @description The catalog agent that was hired; null for a custom agent. */
            catalog_key: string | null;
            /**
             * Format: int64
             * @description The version of the catalog agent that was hired.
             */
            catalog_version: number | null;
            /**
             * Format: int64
             * @description The current version in the catalog. To adopt it, send `PATCH {"catalog_version": n}`.
             */
            catalog_latest: number | null;
            /**
             * Format: int64
             * @description The newest released version, fully or as a canary.
             */
            version: number;
            /** @description Model, instructions and tools, or the endpoint of a remote agent. */
            config: {
                [key: string]: unknown;
            };
            /** @description JSON Schema that the input of a run must match. */
            input_schema: {
                [key: string]: unknown;
            } | null;
            /** @description JSON Schema that the output of a run must match. */
            output_schema: {
                [key: string]: unknown;
            } | null;
            limits: components["schemas"]["AgentLimits"];
            /** @description The guardrail policies that apply to its runs, by name. */
            policies: string[];
            /** @description Your own key-value pairs. */
            metadata: {
                [key: string]: string;
            };
            /**
             * Format: date-time
             * @description When it was created.
             */
            created_at: string;
            /**
             * Format: date-time
             * @description When it was last changed.
             */
            updated_at: string;
            /**
             * Format: date-time
             * @description When it was archived; null if it is active.
             */
            archived_at: string | null;
            /** @description The new secret. Only this response contains it. Null for a replay. */
            signing_secret: string | null;
        };
        /** @description An alert. */
        Alert: {
            /**
             * @description The id of an alert.
             * @example alt_01kf3xw0fqe1vrr9m8sdv2wbx4
             */
            id: string;
            /**
             * @description Always `alert`.
             * @constant
             */
            object: "alert";
            /** @description The rule that fired. */
            rule: {
                [key: string]: unknown;
            };
            status: components["schemas"]["AlertStatus"];
            /** @description The severity of the rule. */
            severity: string;
            /**
             * Format: date-time
             * @description When it fired.
             */
            triggered_at: string;
            /**
             * Format: date-time
             * @description When it was resolved; null before.
             */
            resolved_at: string | null;
            snapshot: components["schemas"]["AlertSnapshot"];
        };
        /**
         * @description The metric of the rule.
         * @enum {string}
         */
        AlertMetric: "failure_rate" | "latency_p95_ms" | "queue_wait_p95_ms" | "runs_per_minute" | "tokens_per_hour" | "quota_used" | "webhook_failure_rate";
        /** @description The values when the alert fired. */
        AlertSnapshot: {
            metric: components["schemas"]["AlertMetric"];
            /**
             * Format: double
             * @description The value of the metric.
             */
            value: number;
            /**
             * Format: double
             * @description The value of the rule.
             */
            threshold: number;
            /**
             * Format: date-time
             * @description The start of the time that was evaluated.
             */
            window_start: string;
            /**
             * Format: date-time
             * @description The end of the time that was evaluated.
             */
            window_end: string;
            /**
             * Format: int64
             * @description The number of values that were evaluated.
             */
            sample_size: number;
            /** @description The values over time. */
            series: unknown[];
        };
        /**
         * @description Whether the rule still holds.
         * @enum {string}
         */
        AlertStatus: "firing" | "resolved";
        /** @description A monitoring alert fired. */
        AlertTriggeredEvent: {
            /**
             * @description The id of an event.
             * @example evt_01kf3xw0fqe1vrr9m8sdv2wbx4
             */
            id: string;
            /**
             * @description The type of the event. (enum property replaced by openapi-typescript)
             * @enum {string}
             */
            type: "alert.triggered";
            /**
             * Format: date-time
             * @description When it happened.
             */
            created_at: string;
            data: components["schemas"]["Alert"];
        };
        /** @description A credential of a program. The complete key is shown once. */
        ApiKey: {
            /**
             * @description The id of an API key.
             * @example key_01kf3xw0fqe1vrr9m8sdv2wbx4
             */
            id: string;
            /**
             * @description Always `api_key`.
             * @constant
             */
            object: "api_key";
            /** @description The name of the key, for people. */
            name: string;
            kind: components["schemas"]["ApiKeyKind"];
            /** @description The first characters of the key: `ars_live_` or `ars_demo_`. */
            prefix: string;
            /** @description The last four characters of the key. */
            hint: string;
            /** @description The permissions that it holds. */
            scopes: components["schemas"]["Scope"][];
            /** @description The only agents that the key can use; null: all agents of the organisation. */
            agent_ids: string[] | null;
            /**
             * Format: date-time
             * @description When the key stops working; null: never.
             */
            expires_at: string | null;
            /**
             * Format: date-time
             * @description When the key was last used. Updated about every 10 seconds.
             */
            last_used_at: string | null;
            /** @description The key or person that created it; null for the operator. */
            created_by: string | null;
            /**
             * Format: date-time
             * @description When it was created.
             */
            created_at: string;
            /**
             * Format: date-time
             * @description When the key was revoked.
             */
            revoked_at: string | null;
            /**
             * @description The key that replaces it.
             * @example key_01kf3xw0fqe1vrr9m8sdv2wbx4
             */
            rotated_to: string | null;
            /**
             * Format: date-time
             * @description When a rotated key stops working.
             */
            grace_until: string | null;
            /**
             * Format: date-time
             * @description When the key was sent over plain HTTP, where others can read it. Rotate such a key.
             */
            exposed_at: string | null;
        };
        /** @description An API key ends within 7 days. Sent once for each key and end, and not for keys that live for 7 days or less. */
        ApiKeyExpiringEvent: {
            /**
             * @description The id of an event.
             * @example evt_01kf3xw0fqe1vrr9m8sdv2wbx4
             */
            id: string;
            /**
             * @description The type of the event. (enum property replaced by openapi-typescript)
             * @enum {string}
             */
            type: "api_key.expiring";
            /**
             * Format: date-time
             * @description When it happened.
             */
            created_at: string;
            data: components["schemas"]["ApiKey"];
        };
        /** @description An API key was sent over plain HTTP; `revoked_at` shows whether the service revoked it. */
        ApiKeyExposedEvent: {
            /**
             * @description The id of an event.
             * @example evt_01kf3xw0fqe1vrr9m8sdv2wbx4
             */
            id: string;
            /**
             * @description The type of the event. (enum property replaced by openapi-typescript)
             * @enum {string}
             */
            type: "api_key.exposed";
            /**
             * Format: date-time
             * @description When it happened.
             */
            created_at: string;
            data: components["schemas"]["ApiKey"];
        };
        /**
         * @description A `demo` key has low limits, cannot use connectors, and sees only the runs that it created.
         * @enum {string}
         */
        ApiKeyKind: "live" | "demo";
        /** @description One page of a list. */
        ApiKeyList: {
            /**
             * @description Always `list`.
             * @constant
             */
            object: "list";
            /** @description The items of this page. */
            data: components["schemas"]["ApiKey"][];
            /** @description Whether more items follow in the direction of the request. A page of large items ends before `limit`. */
            has_more: boolean;
            /** @description The first id of this page. Send it as `before` for newer items. */
            first_id: string | null;
            /** @description The last id of this page. Send it as `after` for older items. */
            last_id: string | null;
        };
        /** @description Who may approve actions of its runs. */
        ApprovalRule: {
            by: components["schemas"]["Approver"];
            /** @description Another principal than the one that started the run must approve. A key counts as the person who created it. */
            not_starter: boolean;
        };
        /** @description Who may approve actions of its runs, beside the scope `runs:approve`. */
        ApprovalRuleInput: {
            /**
             * @description `person`: not with an API key. Default: `anyone`.
             * @enum {string}
             */
            by?: "anyone" | "person";
            /** @description Another principal than the one that started the run must approve. A key counts as the person who created it. */
            not_starter?: boolean;
        };
        ApproveTool: {
            /**
             * @description The `hash` of the tool that you have read.
             * @example 0000000000000000000000000000000000000000000000000000000000000000
             */
            hash: string;
        };
        /**
         * @description `person`: not with an API key. Default: `anyone`.
         * @enum {string}
         */
        Approver: "anyone" | "person";
        /** @description Who did it. A short-lived token counts as its creator. */
        AuditActor: {
            type: components["schemas"]["AuditActorType"];
            /** @description The API key or person; user and host of an operator’s command; null for the service. */
            id: string | null;
        };
        /**
         * @description The kind of actor.
         * @enum {string}
         */
        AuditActorType: "key" | "user" | "operator" | "service";
        /** @description One administrative operation. */
        AuditEntry: {
            /**
             * @description The id of an entry of the audit log.
             * @example aud_01kf3xw0fqe1vrr9m8sdv2wbx4
             */
            id: string;
            /**
             * @description Always `audit_entry`.
             * @constant
             */
            object: "audit_entry";
            /**
             * Format: int64
             * @description The position in the log of the organisation: 1, 2, 3 … without gaps.
             */
            number: number;
            /** @description SHA-256 in hexadecimal of the hash of the entry before and `canonical`. The first entry follows the byte 0. */
            hash: string;
            /** @description The text that the hash covers: a JSON array of the fields of the entry. */
            canonical: string;
            actor: components["schemas"]["AuditActor"];
            /**
             * @description Resource and action, such as `api_key.revoked`.
             * @example connector.created
             */
            action: string;
            /** @description The id of the affected resource. */
            subject: string | null;
            /** @description The IP address of the client. */
            address: string | null;
            /** @description The request that did it; null without one. */
            request_id: string | null;
            /** @description The changed values before the operation. Never contains secrets. */
            before: {
                [key: string]: unknown;
            } | null;
            /** @description The changed values after the operation. Never contains secrets. */
            after: {
                [key: string]: unknown;
            } | null;
            /**
             * Format: date-time
             * @description When it was created.
             */
            created_at: string;
        };
        /** @description One page of a list. */
        AuditEntryList: {
            /**
             * @description Always `list`.
             * @constant
             */
            object: "list";
            /** @description The items of this page. */
            data: components["schemas"]["AuditEntry"][];
            /** @description Whether more items follow in the direction of the request. A page of large items ends before `limit`. */
            has_more: boolean;
            /** @description The first id of this page. Send it as `before` for newer items. */
            first_id: string | null;
            /** @description The last id of this page. Send it as `after` for older items. */
            last_id: string | null;
        };
        Bearer: {
            /**
             * @description Always `me`.
             * @constant
             */
            object: "me";
            /**
             * @description The kind of credential. (enum property replaced by openapi-typescript)
             * @enum {string}
             */
            type: "api_key" | "session_token";
            /** @description The API key; for a token, the key or user that created it. */
            id: string;
            organisation: components["schemas"]["Organisation"];
            /** @description The permissions that it holds. */
            scopes: components["schemas"]["Scope"][];
        };
        BearerAuth: {
            /**
             * @description How the credential is sent. (enum property replaced by openapi-typescript)
             * @enum {string}
             */
            type: "bearer";
            /** @description Stored encrypted and never returned. */
            token: string;
        };
        /** @description An agent that can be hired. */
        CatalogAgent: {
            /** @description Same as `key`; used for paging. */
            id: string;
            /**
             * @description Always `catalog_agent`.
             * @constant
             */
            object: "catalog_agent";
            /** @description The key to hire it with. */
            key: string;
            /**
             * Format: int64
             * @description Increases when the agent changes. Hired agents can adopt the newer version.
             */
            version: number;
            /** @description The name of the agent. */
            name: string;
            /** @description What the agent does. */
            description: string;
            /** @description The group of the catalog that it belongs to. */
            category: string;
            /**
             * @description Agents of the catalog call a model.
             * @constant
             */
            kind: "llm";
            /** @description Model, instructions and tools. */
            config: {
                [key: string]: unknown;
            };
            /** @description JSON Schema that the input of a run must match. */
            input_schema: {
                [key: string]: unknown;
            } | null;
            /** @description JSON Schema that the output of a run must match. */
            output_schema: {
                [key: string]: unknown;
            } | null;
            /** @description The limits of its runs. */
            limits: {
                [key: string]: unknown;
            };
            /** @description The agent uses tools: hire it with one of your connectors. */
            needs_connector: boolean;
            /** @description An input to try it with. */
            sample_input: {
                [key: string]: unknown;
            };
            /** @description The output for this input, if it is always the same. */
            sample_output: {
                [key: string]: unknown;
            } | null;
        };
        /** @description One page of a list. */
        CatalogAgentList: {
            /**
             * @description Always `list`.
             * @constant
             */
            object: "list";
            /** @description The items of this page. */
            data: components["schemas"]["CatalogAgent"][];
            /** @description Whether more items follow in the direction of the request. A page of large items ends before `limit`. */
            has_more: boolean;
            /** @description The first id of this page. Send it as `before` for newer items. */
            first_id: string | null;
            /** @description The last id of this page. Send it as `after` for older items. */
            last_id: string | null;
        };
        ChangePassword: {
            /**
             * Format: password
             * @description The current password.
             */
            current_password: string;
            /**
             * Format: password
             * @description 12 to 1000 characters of any kind.
             */
            new_password: string;
        };
        /** @description The change of an agent. */
        ChangedAgent: {
            /**
             * @description The id of an agent.
             * @example ag_01kf3xw0fqe1vrr9m8sdv2wbx4
             */
            agent_id: string;
            version: components["schemas"]["VersionChange"];
            /** @description The paths of the changed fields. */
            changed: string[];
            /** @description The old values by path; null if there was none. */
            old: {
                [key: string]: unknown;
            };
            /** @description The new values by path; null if there is none. */
            new: {
                [key: string]: unknown;
            };
            actor: components["schemas"]["EventActor"];
        };
        ChangedTool: {
            /** @description The name of the tool. */
            name: string;
            change: components["schemas"]["ToolChange"];
            /** @description The fields that differ from what was approved. */
            fields: string[];
        };
        /** @description The tools of a connector that changed. */
        ChangedTools: {
            /**
             * @description The id of a connector.
             * @example con_01kf3xw0fqe1vrr9m8sdv2wbx4
             */
            connector_id: string;
            /** @description The name of the connector. */
            name: string;
            /** @description The tools that are off because of this change, at most 100. */
            tools: components["schemas"]["ChangedTool"][];
            /**
             * Format: int64
             * @description The number of these tools.
             */
            total: number;
        };
        /** @description An MCP server whose tools agents can use. */
        Connector: {
            /**
             * @description The id of a connector.
             * @example con_01kf3xw0fqe1vrr9m8sdv2wbx4
             */
            id: string;
            /**
             * @description Always `connector`.
             * @constant
             */
            object: "connector";
            /** @description The name of the connector. */
            name: string;
            /** @description The address of the MCP server. */
            url: string;
            auth: components["schemas"]["ConnectorAuth"];
            status: components["schemas"]["ConnectorStatus"];
            tools: components["schemas"]["ToolCounts"];
            /**
             * Format: date-time
             * @description When the server last listed its tools; null if it never did.
             */
            tools_listed_at: string | null;
            /** @description Why the tools could not be listed when the connector was added or its address was changed. */
            tools_error: string | null;
            /**
             * Format: date-time
             * @description When it was created.
             */
            created_at: string;
        };
        /** @description How the service authenticates at the server. */
        ConnectorAuth: {
            type: components["schemas"]["ConnectorAuthType"];
            /** @description The header that carries the credential, for type `header`. */
            header: string | null;
            /** @description The last characters of the credential. */
            hint: string | null;
        };
        ConnectorAuthInput: components["schemas"]["NoAuth"] | components["schemas"]["BearerAuth"] | components["schemas"]["HeaderAuth"];
        /**
         * @description How the credential is sent.
         * @enum {string}
         */
        ConnectorAuthType: "none" | "bearer" | "header";
        /** @description One page of a list. */
        ConnectorList: {
            /**
             * @description Always `list`.
             * @constant
             */
            object: "list";
            /** @description The items of this page. */
            data: components["schemas"]["Connector"][];
            /** @description Whether more items follow in the direction of the request. A page of large items ends before `limit`. */
            has_more: boolean;
            /** @description The first id of this page. Send it as `before` for newer items. */
            first_id: string | null;
            /** @description The last id of this page. Send it as `after` for older items. */
            last_id: string | null;
        };
        /**
         * @description Whether it can be used.
         * @enum {string}
         */
        ConnectorStatus: "active" | "deleted";
        ConnectorTool: {
            /** @description The name of the tool. */
            name: string;
            /**
             * @description Always `connector_tool`.
             * @constant
             */
            object: "connector_tool";
            /**
             * @description The id of a connector.
             * @example con_01kf3xw0fqe1vrr9m8sdv2wbx4
             */
            connector_id: string;
            state: components["schemas"]["ToolState"];
            /** @description SHA-256 of the manifest that the server lists now. Send it to approve the tool. */
            hash: string | null;
            /** @description As the server lists it now; null if it does not. */
            manifest: components["schemas"]["ToolManifest"] | null;
            /** @description SHA-256 of the manifest that was approved. */
            approved_hash: string | null;
            /** @description As it was approved. Null if nobody has approved it, and in state `approved`, where it equals `manifest`. */
            approved_manifest: components["schemas"]["ToolManifest"] | null;
            /** @description In state `changed`: the fields that differ, like `description` or `hints.read_only`. */
            changes: string[];
            /** @description In state `pending`: an approved tool whose name is easily confused with this one. */
            looks_like: string | null;
            /** @description The key or person that approved it. */
            approved_by: string | null;
            /**
             * Format: date-time
             * @description When it was approved.
             */
            approved_at: string | null;
            /**
             * Format: date-time
             * @description When its state last changed.
             */
            changed_at: string;
        };
        /** @description A server lists a tool that nobody has approved as it is; the tool is off. */
        ConnectorToolChangedEvent: {
            /**
             * @description The id of an event.
             * @example evt_01kf3xw0fqe1vrr9m8sdv2wbx4
             */
            id: string;
            /**
             * @description The type of the event. (enum property replaced by openapi-typescript)
             * @enum {string}
             */
            type: "connector.tool_changed";
            /**
             * Format: date-time
             * @description When it happened.
             */
            created_at: string;
            data: components["schemas"]["ChangedTools"];
        };
        /** @description One page of a list. */
        ConnectorToolList: {
            /**
             * @description Always `list`.
             * @constant
             */
            object: "list";
            /** @description The items of this page. */
            data: components["schemas"]["ConnectorTool"][];
            /** @description Whether more items follow in the direction of the request. A page of large items ends before `limit`. */
            has_more: boolean;
            /** @description The first id of this page. Send it as `before` for newer items. */
            first_id: string | null;
            /** @description The last id of this page. Send it as `after` for older items. */
            last_id: string | null;
        };
        CreateAgent: {
            /** @description The name of the agent. */
            name: string;
            /** @description What the agent does, for people. */
            description?: string | null;
            /**
             * @description `llm`: the service calls a model. `remote`: the service calls your HTTPS endpoint.
             * @default llm
             * @enum {string}
             */
            kind?: "llm" | "remote";
            config: components["schemas"]["AgentConfigInput"];
            /** @description JSON Schema that the input of a run must match. */
            input_schema?: {
                [key: string]: unknown;
            } | null;
            /** @description JSON Schema that the output of a run must match. */
            output_schema?: {
                [key: string]: unknown;
            } | null;
            limits?: components["schemas"]["AgentLimitsInput"];
            /** @description The guardrail policies that apply to its runs, by name. */
            policies?: string[];
            /** @description Your own key-value pairs. */
            metadata?: {
                [key: string]: string;
            };
        };
        CreateApiKey: {
            /** @description The name of the key, for people. */
            name: string;
            /**
             * @description Default: `live`. A demo key has low limits, cannot use connectors, and sees only the runs that it created.
             * @enum {string}
             */
            kind?: "live" | "demo";
            /**
             * @description One or more of runs:read, runs:write, runs:approve, runs:erase, agents:read, agents:write, webhooks:read, webhooks:write, keys:read, keys:write, usage:read, analytics:read, pipelines:read, pipelines:write, policies:read, policies:write, connectors:read, connectors:write, alerts:read, alerts:write, events:read, audit:read, members:write. There is no wildcard.
             * @example [
             *       "runs:write"
             *     ]
             */
            scopes: string[];
            /** @description Limits the key to these agents. Null or omitted: all agents of the organisation. */
            agent_ids?: string[] | null;
            /**
             * Format: date-time
             * @description When the key stops working. Null or omitted: never. A key that ends can only create keys that end no later; the organisation may limit the lifetime.
             */
            expires_at?: string | null;
        };
        CreateConnector: {
            /** @description The name of the connector. */
            name: string;
            /** @description An MCP server with streamable HTTP: HTTPS on a public host. */
            url: string;
            /** @description How the service authenticates at the server. Default: no authentication. */
            auth?: components["schemas"]["ConnectorAuthInput"];
            /** @description Whether you approve the tools that the server lists now. Default: true. Tools whose names are easily confused with one another are never approved in this way. */
            approve_tools?: boolean;
        };
        CreateRun: {
            /**
             * @description The id of an agent.
             * @example ag_01kf3xw0fqe1vrr9m8sdv2wbx4
             */
            agent_id: string;
            /** @description The input of the agent. It must match the agent’s `input_schema`, if there is one. */
            input: {
                [key: string]: unknown;
            };
            /** @description Your own key-value pairs, returned unchanged. You can filter runs by them. */
            metadata?: {
                [key: string]: string;
            };
            /**
             * Format: int64
             * @description The run fails with `run_timeout` after this time. Default: the agent’s timeout, else 600; the plan sets the maximum. Time spent waiting for people does not count.
             */
            timeout_seconds?: number;
        };
        CreateSessionToken: {
            /**
             * @description One or more of runs:read, runs:write, runs:approve, runs:erase, agents:read, agents:write, webhooks:read, webhooks:write, keys:read, keys:write, usage:read, analytics:read, pipelines:read, pipelines:write, policies:read, policies:write, connectors:read, connectors:write, alerts:read, alerts:write, events:read, audit:read, members:write. There is no wildcard.
             * @example [
             *       "runs:write"
             *     ]
             */
            scopes: string[];
            /**
             * @description Limits the token to this run. Omitted: the token sees only the runs that it creates itself.
             * @example run_01kf3xw0fqe1vrr9m8sdv2wbx4
             */
            run_id?: string;
            /**
             * Format: int64
             * @description Lifetime in seconds.
             * @default 900
             */
            expires_in?: number;
        };
        CreateWebhook: {
            /** @description HTTPS on a public host, port 443 or a port that the operator allows. */
            url: string;
            /** @description Event types; `*` selects all. */
            events: string[];
            /** @description Your own signing secret, `whsec_…`. If omitted, the service creates one. */
            secret?: string;
            /** @description Whether deliveries are sent. Default: true. */
            active?: boolean;
            /** @description Your own note. */
            description?: string | null;
        };
        /**
         * @description The decision.
         * @enum {string}
         */
        DecisionType: "approve" | "reject" | "respond";
        /** @description An event on its way to a webhook. */
        Delivery: {
            /**
             * @description The id of a delivery.
             * @example dlv_01kf3xw0fqe1vrr9m8sdv2wbx4
             */
            id: string;
            /**
             * @description Always `delivery`.
             * @constant
             */
            object: "delivery";
            /**
             * @description The id of a webhook.
             * @example wh_01kf3xw0fqe1vrr9m8sdv2wbx4
             */
            webhook_id: string;
            /**
             * @description The id of an event.
             * @example evt_01kf3xw0fqe1vrr9m8sdv2wbx4
             */
            event_id: string;
            /** @description The type of the event. */
            event_type: string;
            status: components["schemas"]["DeliveryStatus"];
            source: components["schemas"]["DeliverySource"];
            /** @description The attempts so far, oldest first. */
            attempts: components["schemas"]["DeliveryAttempt"][];
            /**
             * Format: date-time
             * @description When the next attempt is due; null: none is.
             */
            next_attempt_at: string | null;
            /** @description Why the delivery ended without another attempt. */
            error: string | null;
            /**
             * Format: date-time
             * @description When it was created.
             */
            created_at: string;
            /**
             * Format: date-time
             * @description When it ended; null before.
             */
            ended_at: string | null;
        };
        DeliveryAttempt: {
            /**
             * Format: int64
             * @description The number of the attempt, from 1.
             */
            number: number;
            /**
             * Format: date-time
             * @description When it began.
             */
            at: string;
            /**
             * Format: int64
             * @description Null if the worker crashed during the attempt.
             */
            duration_ms: number | null;
            /**
             * Format: int64
             * @description The status of the response; null without one.
             */
            http_status: number | null;
            /** @description Why the attempt failed; null if it was acknowledged. */
            error: string | null;
            request: components["schemas"]["DeliveryRequest"];
            response: components["schemas"]["DeliveryResponse"] | null;
        };
        /** @description One page of a list. */
        DeliveryList: {
            /**
             * @description Always `list`.
             * @constant
             */
            object: "list";
            /** @description The items of this page. */
            data: components["schemas"]["Delivery"][];
            /** @description Whether more items follow in the direction of the request. A page of large items ends before `limit`. */
            has_more: boolean;
            /** @description The first id of this page. Send it as `before` for newer items. */
            first_id: string | null;
            /** @description The last id of this page. Send it as `after` for older items. */
            last_id: string | null;
        };
        /** @description The request that was sent. */
        DeliveryRequest: {
            /** @description The headers. Null in lists and after erasure. */
            headers: {
                [key: string]: string;
            } | null;
            /** @description The signed body. Null in lists and after erasure. */
            body: string | null;
        };
        /** @description The response; null without one. */
        DeliveryResponse: {
            /** @description The headers of the response. */
            headers: {
                [key: string]: string;
            };
            /** @description The first 16 KiB. */
            body: string;
        };
        /**
         * @description Why it was created.
         * @enum {string}
         */
        DeliverySource: "event" | "test" | "redelivery" | "recovery";
        /**
         * @description `pending`: an attempt is due or under way.
         * @enum {string}
         */
        DeliveryStatus: "pending" | "succeeded" | "failed";
        /** @description The release of a version of an agent. */
        Deployment: {
            /**
             * @description The id of a deployment.
             * @example dep_01kf3xw0fqe1vrr9m8sdv2wbx4
             */
            id: string;
            /**
             * @description Always `deployment`.
             * @constant
             */
            object: "deployment";
            /**
             * @description The id of an agent.
             * @example ag_01kf3xw0fqe1vrr9m8sdv2wbx4
             */
            agent_id: string;
            /**
             * Format: int64
             * @description The version of the agent that it releases.
             */
            version: number;
            status: components["schemas"]["DeploymentStatus"];
            /**
             * Format: int64
             * @description The share of new runs that use this version.
             */
            traffic_percent: number;
            /** @description When the canary is rolled back automatically. */
            rollback_rules: components["schemas"]["DeploymentRule"][];
            /**
             * @description The deployment that it replaced.
             * @example dep_01kf3xw0fqe1vrr9m8sdv2wbx4
             */
            previous_deployment_id: string | null;
            source: components["schemas"]["DeploymentSource"];
            /** @description The key or person that created it; null for the operator and the service. */
            created_by: string | null;
            /**
             * Format: date-time
             * @description When it was created.
             */
            created_at: string;
            /**
             * Format: date-time
             * @description When it was rolled back; null otherwise.
             */
            rolled_back_at: string | null;
            /** @description Why it was rolled back; null otherwise. */
            rollback_reason: string | null;
        };
        /** @description A new deployment was created. */
        DeploymentCreatedEvent: {
            /**
             * @description The id of an event.
             * @example evt_01kf3xw0fqe1vrr9m8sdv2wbx4
             */
            id: string;
            /**
             * @description The type of the event. (enum property replaced by openapi-typescript)
             * @enum {string}
             */
            type: "deployment.created";
            /**
             * Format: date-time
             * @description When it happened.
             */
            created_at: string;
            data: components["schemas"]["Deployment"];
        };
        /** @description One page of a list. */
        DeploymentList: {
            /**
             * @description Always `list`.
             * @constant
             */
            object: "list";
            /** @description The items of this page. */
            data: components["schemas"]["Deployment"][];
            /** @description Whether more items follow in the direction of the request. A page of large items ends before `limit`. */
            has_more: boolean;
            /** @description The first id of this page. Send it as `before` for newer items. */
            first_id: string | null;
            /** @description The last id of this page. Send it as `after` for older items. */
            last_id: string | null;
        };
        /** @description A deployment was rolled back; `reason` has the cause. */
        DeploymentRollbackEvent: {
            /**
             * @description The id of an event.
             * @example evt_01kf3xw0fqe1vrr9m8sdv2wbx4
             */
            id: string;
            /**
             * @description The type of the event. (enum property replaced by openapi-typescript)
             * @enum {string}
             */
            type: "deployment.rollback";
            /**
             * Format: date-time
             * @description When it happened.
             */
            created_at: string;
            data: components["schemas"]["RolledBackDeployment"];
        };
        DeploymentRule: {
            metric: components["schemas"]["RollbackMetric"];
            /**
             * Format: double
             * @description The value above which the canary is rolled back.
             */
            above: number;
            /**
             * Format: int64
             * @description The minimum number of ended canary runs.
             */
            min_runs: number;
            /**
             * Format: int64
             * @description The age of the runs that are evaluated.
             */
            window_seconds: number;
        };
        /**
         * @description The operation that created it.
         * @enum {string}
         */
        DeploymentSource: "hire" | "create" | "update" | "rollback";
        /**
         * @description `canary`: a share of new runs uses it. `superseded`: a later deployment replaced it.
         * @enum {string}
         */
        DeploymentStatus: "active" | "canary" | "superseded" | "rolled_back";
        /** @description The webhook that was disabled. */
        DisabledWebhook: {
            /**
             * @description The id of a webhook.
             * @example wh_01kf3xw0fqe1vrr9m8sdv2wbx4
             */
            id: string;
            /**
             * @description Always `webhook`.
             * @constant
             */
            object: "webhook";
            /** @description The endpoint that receives the events. */
            url: string;
            /** @description Event types; `*` selects all. */
            events: string[];
            /** @description Whether deliveries are sent. */
            active: boolean;
            /** @description Your own note. */
            description: string | null;
            /** @description The last characters of the signing secret. */
            secret_hint: string;
            status: components["schemas"]["WebhookStatus"];
            /**
             * Format: date-time
             * @description When it was disabled; null if it is active.
             */
            disabled_at: string | null;
            disabled_reason: components["schemas"]["WebhookDisabledReason"] | null;
            /**
             * Format: date-time
             * @description Since when all deliveries have failed.
             */
            failing_since: string | null;
            /**
             * Format: date-time
             * @description Events since this time may not have been delivered. To send them, use `POST /webhooks/{id}/recover`.
             */
            missed_since: string | null;
            /**
             * Format: date-time
             * @description When it was created.
             */
            created_at: string;
            /** @description Why it was disabled. */
            reason: string;
        };
        Error: {
            error: components["schemas"]["ErrorContent"];
        };
        /** @description The error. */
        ErrorContent: {
            type: components["schemas"]["ErrorType"];
            /** @description Stable, for programs. `/docs/errors` lists all codes. New codes can be added. */
            code: string;
            /** @description For people. The text can change. */
            message: string;
            /** @description The path of the invalid field. */
            param: string | null;
            /** @description Identifies the request in the logs of the service. */
            request_id: string;
            /** @description The description of this code. */
            doc_url: string;
            /** @description Every error that was found in the request. */
            details: components["schemas"]["FieldError"][];
        };
        /**
         * @description The kind of error, by status.
         * @enum {string}
         */
        ErrorType: "invalid_request_error" | "authentication_error" | "permission_error" | "rate_limit_error" | "api_error";
        /** @description An event; `data` depends on `type`. New types can be added: name the types that you want. */
        Event: components["schemas"]["RunCompletedEvent"] | components["schemas"]["RunFailedEvent"] | components["schemas"]["DeploymentCreatedEvent"] | components["schemas"]["DeploymentRollbackEvent"] | components["schemas"]["AlertTriggeredEvent"] | components["schemas"]["AgentUpdatedEvent"] | components["schemas"]["PipelineCompletedEvent"] | components["schemas"]["RunRequiresActionEvent"] | components["schemas"]["RunCancelledEvent"] | components["schemas"]["WebhookDisabledEvent"] | components["schemas"]["ConnectorToolChangedEvent"] | components["schemas"]["ApiKeyExpiringEvent"] | components["schemas"]["ApiKeyExposedEvent"] | components["schemas"]["TestEvent"];
        /** @description Who changed it. */
        EventActor: {
            /** @description `key` or `user`. */
            type: string;
            /** @description The id of the key or person. */
            id: string;
        };
        /** @description One page of a list. */
        EventList: {
            /**
             * @description Always `list`.
             * @constant
             */
            object: "list";
            /** @description The items of this page. */
            data: components["schemas"]["Event"][];
            /** @description Whether more items follow in the direction of the request. A page of large items ends before `limit`. */
            has_more: boolean;
            /** @description The first id of this page. Send it as `before` for newer items. */
            first_id: string | null;
            /** @description The last id of this page. Send it as `after` for older items. */
            last_id: string | null;
        };
        FieldError: {
            /** @description The path of the field; null: the whole request. */
            param: string | null;
            /** @description The error, for people. */
            message: string;
        };
        HeaderAuth: {
            /**
             * @description How the credential is sent. (enum property replaced by openapi-typescript)
             * @enum {string}
             */
            type: "header";
            /** @description The name of the header. */
            header: string;
            /** @description Stored encrypted and never returned. */
            value: string;
        };
        HireAgent: {
            /** @description Default: the name in the catalog. */
            name?: string;
            /** @description Values that differ from the catalog, such as `model`. Objects are merged, lists are replaced. */
            config?: components["schemas"]["AgentConfigInput"];
            /** @description Your own key-value pairs. */
            metadata?: {
                [key: string]: string;
            };
        };
        Invitation: {
            /**
             * @description The id of an invitation.
             * @example inv_01kf3xw0fqe1vrr9m8sdv2wbx4
             */
            id: string;
            /**
             * @description Always `invitation`.
             * @constant
             */
            object: "invitation";
            /** @description The invited e-mail address. */
            email: string;
            role: components["schemas"]["Role"];
            status: components["schemas"]["InvitationStatus"];
            /** @description The user or API key that sent it; null for the operator of the service. */
            invited_by: string | null;
            /**
             * Format: date-time
             * @description When it was created.
             */
            created_at: string;
            /**
             * Format: date-time
             * @description When the link stops working.
             */
            expires_at: string;
        };
        /** @description One page of a list. */
        InvitationList: {
            /**
             * @description Always `list`.
             * @constant
             */
            object: "list";
            /** @description The items of this page. */
            data: components["schemas"]["Invitation"][];
            /** @description Whether more items follow in the direction of the request. A page of large items ends before `limit`. */
            has_more: boolean;
            /** @description The first id of this page. Send it as `before` for newer items. */
            first_id: string | null;
            /** @description The last id of this page. Send it as `after` for older items. */
            last_id: string | null;
        };
        /**
         * @description Only an `open` invitation can be accepted.
         * @enum {string}
         */
        InvitationStatus: "open" | "accepted" | "revoked" | "expired";
        InviteMember: {
            /**
             * @description Case and surrounding spaces are ignored.
             * @example ada@example.com
             */
            email: string;
            /**
             * @description What a person can do in an organisation. Each role includes the roles after it.
             * @enum {string}
             */
            role: "owner" | "admin" | "developer" | "viewer";
        };
        Login: {
            /**
             * @description Case and surrounding spaces are ignored.
             * @example ada@example.com
             */
            email: string;
            /**
             * Format: password
             * @description The current password.
             */
            password: string;
            /**
             * @description The organisation that the session acts for. Default: the one that you joined first. Name it if your address has accounts in several organisations: without it, two of them are tried.
             * @example org_01kf3xw0fqe1vrr9m8sdv2wbx4
             */
            organisation_id?: string;
        };
        Me: components["schemas"]["Session"] | components["schemas"]["Bearer"];
        /** @description A person in the organisation. */
        Member: {
            /**
             * @description The id of a member.
             * @example mem_01kf3xw0fqe1vrr9m8sdv2wbx4
             */
            id: string;
            /**
             * @description Always `member`.
             * @constant
             */
            object: "member";
            /**
             * @description The id of a user.
             * @example usr_01kf3xw0fqe1vrr9m8sdv2wbx4
             */
            user_id: string;
            /** @description The e-mail address of the person. */
            email: string;
            /** @description The name of the person. */
            name: string;
            role: components["schemas"]["Role"];
            /**
             * Format: date-time
             * @description When it was created.
             */
            created_at: string;
        };
        /** @description One page of a list. */
        MemberList: {
            /**
             * @description Always `list`.
             * @constant
             */
            object: "list";
            /** @description The items of this page. */
            data: components["schemas"]["Member"][];
            /** @description Whether more items follow in the direction of the request. A page of large items ends before `limit`. */
            has_more: boolean;
            /** @description The first id of this page. Send it as `before` for newer items. */
            first_id: string | null;
            /** @description The last id of this page. Send it as `after` for older items. */
            last_id: string | null;
        };
        Membership: {
            /**
             * @description The id of an organisation.
             * @example org_01kf3xw0fqe1vrr9m8sdv2wbx4
             */
            id: string;
            /** @description The name of the organisation. */
            name: string;
            role: components["schemas"]["Role"];
        };
        Model: {
            /**
             * @description `provider/model`, the value for `config.model` of an agent.
             * @example openai/gpt-5
             */
            id: string;
            /**
             * @description The type of this object.
             * @constant
             */
            object: "model";
            /** @description The part of the id before the slash. */
            provider: string;
            /** @description True: the id ends in `*`, which stands for any name. Replace it with a name of the provider. */
            is_pattern: boolean;
            /** @description Null: the operator configured none. Runs on this model have no `cost_usd`, and agents on it cannot have a budget. */
            price: components["schemas"]["ModelPrice"] | null;
            /** @description Whether the model can call tools. Null: not known. */
            supports_tools: boolean | null;
        };
        /** @description One page of a list. */
        ModelList: {
            /**
             * @description Always `list`.
             * @constant
             */
            object: "list";
            /** @description The items of this page. */
            data: components["schemas"]["Model"][];
            /** @description Whether more items follow in the direction of the request. A page of large items ends before `limit`. */
            has_more: boolean;
            /** @description The first id of this page. Send it as `before` for newer items. */
            first_id: string | null;
            /** @description The last id of this page. Send it as `after` for older items. */
            last_id: string | null;
        };
        ModelPrice: {
            /**
             * Format: double
             * @description US dollars for a million input tokens.
             */
            input_usd_per_million: number;
            /**
             * Format: double
             * @description US dollars for a million output tokens.
             */
            output_usd_per_million: number;
        };
        NewAgent: {
            /**
             * @description The id of an agent.
             * @example ag_01kf3xw0fqe1vrr9m8sdv2wbx4
             */
            id: string;
            /**
             * @description Always `agent`.
             * @constant
             */
            object: "agent";
            /** @description The name of the agent. */
            name: string;
            /** @description What the agent does, for people. */
            description: string | null;
            status: components["schemas"]["AgentStatus"];
            kind: components["schemas"]["AgentKind"];
            source: components["schemas"]["AgentSource"];
            /** @description The catalog agent that was hired; null for a custom agent. */
            catalog_key: string | null;
            /**
             * Format: int64
             * @description The version of the catalog agent that was hired.
             */
            catalog_version: number | null;
            /**
             * Format: int64
             * @description The current version in the catalog. To adopt it, send `PATCH {"catalog_version": n}`.
             */
            catalog_latest: number | null;
            /**
             * Format: int64
             * @description The newest released version, fully or as a canary.
             */
            version: number;
            /** @description Model, instructions and tools, or the endpoint of a remote agent. */
            config: {
                [key: string]: unknown;
            };
            /** @description JSON Schema that the input of a run must match. */
            input_schema: {
                [key: string]: unknown;
            } | null;
            /** @description JSON Schema that the output of a run must match. */
            output_schema: {
                [key: string]: unknown;
            } | null;
            limits: components["schemas"]["AgentLimits"];
            /** @description The guardrail policies that apply to its runs, by name. */
            policies: string[];
            /** @description Your own key-value pairs. */
            metadata: {
                [key: string]: string;
            };
            /**
             * Format: date-time
             * @description When it was created.
             */
            created_at: string;
            /**
             * Format: date-time
             * @description When it was last changed.
             */
            updated_at: string;
            /**
             * Format: date-time
             * @description When it was archived; null if it is active.
             */
            archived_at: string | null;
            /** @description The deployment that this request created; null if nothing changed. */
            deployment: components["schemas"]["Deployment"] | null;
            /** @description A remote agent verifies our requests with this secret. Only this response contains it. Null for other agents and for a replay. */
            signing_secret: string | null;
        };
        NewApiKey: {
            /**
             * @description The id of an API key.
             * @example key_01kf3xw0fqe1vrr9m8sdv2wbx4
             */
            id: string;
            /**
             * @description Always `api_key`.
             * @constant
             */
            object: "api_key";
            /** @description The name of the key, for people. */
            name: string;
            kind: components["schemas"]["ApiKeyKind"];
            /** @description The first characters of the key: `ars_live_` or `ars_demo_`. */
            prefix: string;
            /** @description The last four characters of the key. */
            hint: string;
            /** @description The permissions that it holds. */
            scopes: components["schemas"]["Scope"][];
            /** @description The only agents that the key can use; null: all agents of the organisation. */
            agent_ids: string[] | null;
            /**
             * Format: date-time
             * @description When the key stops working; null: never.
             */
            expires_at: string | null;
            /**
             * Format: date-time
             * @description When the key was last used. Updated about every 10 seconds.
             */
            last_used_at: string | null;
            /** @description The key or person that created it; null for the operator. */
            created_by: string | null;
            /**
             * Format: date-time
             * @description When it was created.
             */
            created_at: string;
            /**
             * Format: date-time
             * @description When the key was revoked.
             */
            revoked_at: string | null;
            /**
             * @description The key that replaces it.
             * @example key_01kf3xw0fqe1vrr9m8sdv2wbx4
             */
            rotated_to: string | null;
            /**
             * Format: date-time
             * @description When a rotated key stops working.
             */
            grace_until: string | null;
            /**
             * Format: date-time
             * @description When the key was sent over plain HTTP, where others can read it. Rotate such a key.
             */
            exposed_at: string | null;
            /** @description The complete key. Only this response contains it. Null in a replay of an earlier request. */
            key: string | null;
        };
        NewInvitation: {
            /**
             * @description The id of an invitation.
             * @example inv_01kf3xw0fqe1vrr9m8sdv2wbx4
             */
            id: string;
            /**
             * @description Always `invitation`.
             * @constant
             */
            object: "invitation";
            /** @description The invited e-mail address. */
            email: string;
            role: components["schemas"]["Role"];
            status: components["schemas"]["InvitationStatus"];
            /** @description The user or API key that sent it; null for the operator of the service. */
            invited_by: string | null;
            /**
             * Format: date-time
             * @description When it was created.
             */
            created_at: string;
            /**
             * Format: date-time
             * @description When the link stops working.
             */
            expires_at: string;
            /** @description Only this response contains the link. Give it only to this person. */
            link: string;
        };
        NoAuth: {
            /**
             * @description How the credential is sent. (enum property replaced by openapi-typescript)
             * @enum {string}
             */
            type: "none";
        };
        /** @description The organisation that the credential acts for. */
        Organisation: {
            /**
             * @description The id of an organisation.
             * @example org_01kf3xw0fqe1vrr9m8sdv2wbx4
             */
            id: string;
            /** @description The name of the organisation. */
            name: string;
            plan: components["schemas"]["Plan"];
            /**
             * Format: int64
             * @description The longest life of a new API key, in days; null: no limit.
             */
            max_key_lifetime_days: number | null;
        };
        PasswordReset: {
            /**
             * @description Always `password_reset`.
             * @constant
             */
            object: "password_reset";
            user: components["schemas"]["User"];
        };
        PasswordResetLink: {
            /**
             * @description Always `password_reset_link`.
             * @constant
             */
            object: "password_reset_link";
            /**
             * @description The id of a member.
             * @example mem_01kf3xw0fqe1vrr9m8sdv2wbx4
             */
            member_id: string;
            /** @description Only this response contains the link. Give it only to this person. */
            link: string;
            /**
             * Format: date-time
             * @description When the link stops working.
             */
            expires_at: string;
        };
        /** @description A pipeline run finished. */
        PipelineCompletedEvent: {
            /**
             * @description The id of an event.
             * @example evt_01kf3xw0fqe1vrr9m8sdv2wbx4
             */
            id: string;
            /**
             * @description The type of the event. (enum property replaced by openapi-typescript)
             * @enum {string}
             */
            type: "pipeline.completed";
            /**
             * Format: date-time
             * @description When it happened.
             */
            created_at: string;
            data: components["schemas"]["PipelineRun"];
        };
        /** @description One execution of a pipeline. */
        PipelineRun: {
            /**
             * @description The id of a pipeline run.
             * @example plr_01kf3xw0fqe1vrr9m8sdv2wbx4
             */
            id: string;
            /**
             * @description Always `pipeline_run`.
             * @constant
             */
            object: "pipeline_run";
            /** @description The pipeline. */
            pipeline_id: string;
            /** @description The state of the pipeline run. */
            status: string;
            /** @description The steps in order. */
            steps: components["schemas"]["PipelineStep"][];
            /** @description The input of the pipeline. */
            input: {
                [key: string]: unknown;
            };
            /** @description The output of the pipeline; null without one. */
            output: {
                [key: string]: unknown;
            } | null;
            /** @description Why it failed; null otherwise. */
            error: {
                [key: string]: unknown;
            } | null;
            /**
             * Format: int64
             * @description Milliseconds from creation to end; null before.
             */
            latency_ms: number | null;
            /**
             * Format: int64
             * @description Input and output tokens of all steps.
             */
            tokens_used: number;
            /**
             * Format: date-time
             * @description When it was created.
             */
            created_at: string;
            /**
             * Format: date-time
             * @description When it ended; null before.
             */
            finished_at: string | null;
        };
        PipelineStep: {
            /** @description The key of the step in the pipeline. */
            key: string;
            /** @description The run of the step; null if it did not run. */
            run_id: string | null;
            /** @description The state of the step. */
            status: string;
        };
        /**
         * @description The plan, which sets the limits.
         * @enum {string}
         */
        Plan: "demo" | "free" | "developer" | "business" | "enterprise";
        PromoteDeployment: {
            /**
             * Format: int64
             * @description The new share of runs. Omitted: the canary becomes active.
             */
            traffic_percent?: number;
        };
        RecoverWebhook: {
            /**
             * Format: date-time
             * @description The start of the time that is searched.
             * @example 2026-01-15T09:30:00Z
             */
            since: string;
            /**
             * Format: date-time
             * @description Default: now.
             */
            until?: string;
        };
        Recovery: {
            /**
             * @description The id of a recovery.
             * @example rec_01kf3xw0fqe1vrr9m8sdv2wbx4
             */
            id: string;
            /**
             * @description Always `recovery`.
             * @constant
             */
            object: "recovery";
            /**
             * @description The id of a webhook.
             * @example wh_01kf3xw0fqe1vrr9m8sdv2wbx4
             */
            webhook_id: string;
            /**
             * Format: date-time
             * @description The start of the time that is searched.
             */
            since: string;
            /**
             * Format: date-time
             * @description The end of the time that is searched.
             */
            until: string;
            status: components["schemas"]["RecoveryStatus"];
            progress: components["schemas"]["RecoveryProgress"];
            /**
             * Format: date-time
             * @description When it was created.
             */
            created_at: string;
            /**
             * Format: date-time
             * @description When it ended; null before.
             */
            ended_at: string | null;
        };
        /** @description One page of a list. */
        RecoveryList: {
            /**
             * @description Always `list`.
             * @constant
             */
            object: "list";
            /** @description The items of this page. */
            data: components["schemas"]["Recovery"][];
            /** @description Whether more items follow in the direction of the request. A page of large items ends before `limit`. */
            has_more: boolean;
            /** @description The first id of this page. Send it as `before` for newer items. */
            first_id: string | null;
            /** @description The last id of this page. Send it as `after` for older items. */
            last_id: string | null;
        };
        /** @description How far it is. */
        RecoveryProgress: {
            /**
             * Format: int64
             * @description Unacknowledged events found; each becomes a delivery.
             */
            found: number;
            /**
             * Format: int64
             * @description Deliveries that succeeded.
             */
            delivered: number;
            /**
             * Format: int64
             * @description Deliveries that failed.
             */
            failed: number;
            /**
             * Format: date-time
             * @description Events up to this time were checked.
             */
            scanned_until: string | null;
        };
        /**
         * @description Its state.
         * @enum {string}
         */
        RecoveryStatus: "running" | "completed" | "cancelled";
        RefreshedConnector: {
            /**
             * @description Always `connector_refresh`.
             * @constant
             */
            object: "connector_refresh";
            connector: components["schemas"]["Connector"];
            /** @description The tools that are not approved as they are listed now. */
            off: components["schemas"]["ConnectorTool"][];
            /** @description Listed tools that can never be approved, at most 100. Characters outside ASCII are shown as `U+0435`. */
            refused: components["schemas"]["RefusedTool"][];
        };
        RefusedTool: {
            /** @description The name that the server lists. */
            name: string;
            /** @description Why it can never be approved. */
            reason: string;
        };
        ReleasedAgent: {
            /**
             * @description The id of an agent.
             * @example ag_01kf3xw0fqe1vrr9m8sdv2wbx4
             */
            id: string;
            /**
             * @description Always `agent`.
             * @constant
             */
            object: "agent";
            /** @description The name of the agent. */
            name: string;
            /** @description What the agent does, for people. */
            description: string | null;
            status: components["schemas"]["AgentStatus"];
            kind: components["schemas"]["AgentKind"];
            source: components["schemas"]["AgentSource"];
            /** @description The catalog agent that was hired; null for a custom agent. */
            catalog_key: string | null;
            /**
             * Format: int64
             * @description The version of the catalog agent that was hired.
             */
            catalog_version: number | null;
            /**
             * Format: int64
             * @description The current version in the catalog. To adopt it, send `PATCH {"catalog_version": n}`.
             */
            catalog_latest: number | null;
            /**
             * Format: int64
             * @description The newest released version, fully or as a canary.
             */
            version: number;
            /** @description Model, instructions and tools, or the endpoint of a remote agent. */
            config: {
                [key: string]: unknown;
            };
            /** @description JSON Schema that the input of a run must match. */
            input_schema: {
                [key: string]: unknown;
            } | null;
            /** @description JSON Schema that the output of a run must match. */
            output_schema: {
                [key: string]: unknown;
            } | null;
            limits: components["schemas"]["AgentLimits"];
            /** @description The guardrail policies that apply to its runs, by name. */
            policies: string[];
            /** @description Your own key-value pairs. */
            metadata: {
                [key: string]: string;
            };
            /**
             * Format: date-time
             * @description When it was created.
             */
            created_at: string;
            /**
             * Format: date-time
             * @description When it was last changed.
             */
            updated_at: string;
            /**
             * Format: date-time
             * @description When it was archived; null if it is active.
             */
            archived_at: string | null;
            /** @description The deployment that this request created; null if nothing changed. */
            deployment: components["schemas"]["Deployment"] | null;
        };
        RequiredAction: {
            /** @description Send it as `action_id` with your decision. */
            id: string;
            type: components["schemas"]["RequiredActionType"];
            /** @description The question, for people. */
            message: string;
            /** @description The tool call in question, with its arguments. */
            tool_call: {
                [key: string]: unknown;
            } | null;
            /** @description JSON Schema of the payload to send with `respond`. */
            response_schema: {
                [key: string]: unknown;
            } | null;
            /**
             * Format: date-time
             * @description The run fails with `action_timeout` at this time.
             */
            expires_at: string;
        };
        /**
         * @description `approval`: allow or reject a tool call. `input`: provide information. `reconcile`: say what became of a tool call with unknown outcome.
         * @enum {string}
         */
        RequiredActionType: "approval" | "input" | "reconcile";
        ResetMemberPassword: {
            /**
             * @description The member whose password is reset.
             * @example mem_01kf3xw0fqe1vrr9m8sdv2wbx4
             */
            member_id: string;
        };
        ResetPassword: {
            /** @description The part of the link after `#token=`. */
            token: string;
            /**
             * Format: password
             * @description 12 to 1000 characters of any kind.
             */
            password: string;
        };
        RevokedApiKey: {
            /**
             * @description The id of an API key.
             * @example key_01kf3xw0fqe1vrr9m8sdv2wbx4
             */
            id: string;
            /**
             * @description Always `api_key`.
             * @constant
             */
            object: "api_key";
            /** @description The name of the key, for people. */
            name: string;
            kind: components["schemas"]["ApiKeyKind"];
            /** @description The first characters of the key: `ars_live_` or `ars_demo_`. */
            prefix: string;
            /** @description The last four characters of the key. */
            hint: string;
            /** @description The permissions that it holds. */
            scopes: components["schemas"]["Scope"][];
            /** @description The only agents that the key can use; null: all agents of the organisation. */
            agent_ids: string[] | null;
            /**
             * Format: date-time
             * @description When the key stops working; null: never.
             */
            expires_at: string | null;
            /**
             * Format: date-time
             * @description When the key was last used. Updated about every 10 seconds.
             */
            last_used_at: string | null;
            /** @description The key or person that created it; null for the operator. */
            created_by: string | null;
            /**
             * Format: date-time
             * @description When it was created.
             */
            created_at: string;
            /**
             * Format: date-time
             * @description When the key was revoked.
             */
            revoked_at: string | null;
            /**
             * @description The key that replaces it.
             * @example key_01kf3xw0fqe1vrr9m8sdv2wbx4
             */
            rotated_to: string | null;
            /**
             * Format: date-time
             * @description When a rotated key stops working.
             */
            grace_until: string | null;
            /**
             * Format: date-time
             * @description When the key was sent over plain HTTP, where others can read it. Rotate such a key.
             */
            exposed_at: string | null;
            /**
             * Format: int64
             * @description How many keys below this one the request revoked. 0 without `descendants=true`.
             */
            descendants_revoked: number;
        };
        /**
         * @description What a person can do in an organisation. Each role includes the roles after it.
         * @enum {string}
         */
        Role: "owner" | "admin" | "developer" | "viewer";
        RollBackDeployment: {
            /** @description The reason; it is recorded. */
            reason: string;
        };
        /**
         * @description The figure of the canary that the rule evaluates.
         * @enum {string}
         */
        RollbackMetric: "failure_rate" | "latency_p95_ms" | "cost_per_run_usd";
        RollbackRule: {
            /**
             * @description The figure of the canary that the rule evaluates.
             * @enum {string}
             */
            metric: "failure_rate" | "latency_p95_ms" | "cost_per_run_usd";
            /**
             * Format: double
             * @description The canary is rolled back if the metric is above this value with 99 % confidence. Rates are 0 to 1.
             */
            above: number;
            /**
             * Format: int64
             * @description The minimum number of ended canary runs before the rule is evaluated.
             * @default 50
             */
            min_runs?: number;
            /**
             * Format: int64
             * @description The rule evaluates runs that were created within this time.
             * @default 3600
             */
            window_seconds?: number;
        };
        /** @description The deployment that was rolled back. */
        RolledBackDeployment: {
            /**
             * @description The id of a deployment.
             * @example dep_01kf3xw0fqe1vrr9m8sdv2wbx4
             */
            id: string;
            /**
             * @description Always `deployment`.
             * @constant
             */
            object: "deployment";
            /**
             * @description The id of an agent.
             * @example ag_01kf3xw0fqe1vrr9m8sdv2wbx4
             */
            agent_id: string;
            /**
             * Format: int64
             * @description The version of the agent that it releases.
             */
            version: number;
            status: components["schemas"]["DeploymentStatus"];
            /**
             * Format: int64
             * @description The share of new runs that use this version.
             */
            traffic_percent: number;
            /** @description When the canary is rolled back automatically. */
            rollback_rules: components["schemas"]["DeploymentRule"][];
            /**
             * @description The deployment that it replaced.
             * @example dep_01kf3xw0fqe1vrr9m8sdv2wbx4
             */
            previous_deployment_id: string | null;
            source: components["schemas"]["DeploymentSource"];
            /** @description The key or person that created it; null for the operator and the service. */
            created_by: string | null;
            /**
             * Format: date-time
             * @description When it was created.
             */
            created_at: string;
            /**
             * Format: date-time
             * @description When it was rolled back; null otherwise.
             */
            rolled_back_at: string | null;
            /** @description Why it was rolled back; null otherwise. */
            rollback_reason: string | null;
            /** @description Why it was rolled back. */
            reason: string;
        };
        /** @description How the new version is released. Default: `all_at_once`. */
        Rollout: components["schemas"]["RolloutAllAtOnce"] | components["schemas"]["RolloutCanary"];
        RolloutAllAtOnce: {
            /**
             * @description All new runs use the new version. (enum property replaced by openapi-typescript)
             * @enum {string}
             */
            strategy: "all_at_once";
        };
        RolloutCanary: {
            /**
             * @description A share of the new runs uses the new version. (enum property replaced by openapi-typescript)
             * @enum {string}
             */
            strategy: "canary";
            /**
             * Format: int64
             * @description The share of runs that use the new version.
             */
            traffic_percent: number;
            /**
             * @description When the canary is rolled back automatically.
             * @default []
             */
            rollback_rules?: components["schemas"]["RollbackRule"][];
        };
        RotateSigningSecret: {
            /**
             * Format: int64
             * @description Hours for which the old secret signs too.
             * @default 24
             */
            overlap_hours?: number;
        };
        RotateWebhookSecret: {
            /** @description Your own signing secret, `whsec_…`. If omitted, the service creates one. */
            secret?: string;
            /**
             * Format: int64
             * @description Hours for which the old secret signs too.
             */
            overlap_hours?: number;
        };
        /** @description One execution of an agent. */
        Run: {
            /**
             * @description The id of a run.
             * @example run_01kf3xw0fqe1vrr9m8sdv2wbx4
             */
            id: string;
            status: components["schemas"]["RunStatus"];
            /** @description The result; null before the end. Text is in the field `result`. */
            output: {
                [key: string]: unknown;
            } | null;
            /**
             * Format: int64
             * @description Milliseconds from `created_at` to `finished_at`; null before the end.
             */
            latency_ms: number | null;
            /**
             * Format: int64
             * @description Input and output tokens together. Informational: the quota counts runs.
             */
            tokens_used: number;
            /**
             * Format: date-time
             * @description When it was created.
             */
            created_at: string;
            /**
             * @description The agent that executes the run.
             * @example ag_01kf3xw0fqe1vrr9m8sdv2wbx4
             */
            agent_id: string;
            /**
             * @description Always `run`.
             * @constant
             */
            object: "run";
            /**
             * Format: int64
             * @description The version of the agent that executes the run.
             */
            agent_version: number;
            /** @description The deployment that selected this version. */
            deployment_id: string | null;
            /** @description The input of the request; empty after the data was erased. */
            input: {
                [key: string]: unknown;
            };
            /** @description Why the run failed; null otherwise. */
            error: components["schemas"]["RunError"] | null;
            /** @description Open decisions of a run in `requires_action`. */
            required_actions: components["schemas"]["RequiredAction"][];
            usage: components["schemas"]["RunUsage"];
            timing: components["schemas"]["RunTiming"];
            /** @description The metadata of the request. */
            metadata: {
                [key: string]: string;
            };
            /** @description The pipeline run that this run belongs to. */
            pipeline_run_id: string | null;
            /** @description The run that created this run. */
            parent_run_id: string | null;
            /** @description The key or person that created it. A short-lived token counts as its creator. Null: not recorded. */
            created_by: string | null;
            /**
             * Format: date-time
             * @description Start of the first step; null before.
             */
            started_at: string | null;
            /**
             * Format: date-time
             * @description End of the run; null before.
             */
            finished_at: string | null;
            /** @description Only with `view=summary`: the first 200 characters of `input` as JSON. */
            input_preview?: string;
            /** @description Only with `view=summary`: the first 200 characters of `output` as JSON; null without output. */
            output_preview?: string | null;
        };
        /** @description A run was cancelled. */
        RunCancelledEvent: {
            /**
             * @description The id of an event.
             * @example evt_01kf3xw0fqe1vrr9m8sdv2wbx4
             */
            id: string;
            /**
             * @description The type of the event. (enum property replaced by openapi-typescript)
             * @enum {string}
             */
            type: "run.cancelled";
            /**
             * Format: date-time
             * @description When it happened.
             */
            created_at: string;
            data: components["schemas"]["Run"];
        };
        /** @description The run was cancelled. The last frame of the stream. */
        RunCancelledFrame: {
            /**
             * @description The type of the frame, equal to `event` of the stream. (enum property replaced by openapi-typescript)
             * @enum {string}
             */
            type: "run.cancelled";
            /**
             * @description The id of a run.
             * @example run_01kf3xw0fqe1vrr9m8sdv2wbx4
             */
            run_id: string;
            /**
             * Format: date-time
             * @description When it happened.
             */
            created_at: string;
            /** @description The whole run at its end. */
            run: components["schemas"]["Run"];
        };
        /** @description The run is being cancelled. */
        RunCancellingFrame: {
            /**
             * @description The type of the frame, equal to `event` of the stream. (enum property replaced by openapi-typescript)
             * @enum {string}
             */
            type: "run.cancelling";
            /**
             * @description The id of a run.
             * @example run_01kf3xw0fqe1vrr9m8sdv2wbx4
             */
            run_id: string;
            /**
             * Format: date-time
             * @description When it happened.
             */
            created_at: string;
        };
        /** @description An agent run finished successfully. */
        RunCompletedEvent: {
            /**
             * @description The id of an event.
             * @example evt_01kf3xw0fqe1vrr9m8sdv2wbx4
             */
            id: string;
            /**
             * @description The type of the event. (enum property replaced by openapi-typescript)
             * @enum {string}
             */
            type: "run.completed";
            /**
             * Format: date-time
             * @description When it happened.
             */
            created_at: string;
            data: components["schemas"]["Run"];
        };
        /** @description The run has succeeded. The last frame of the stream. */
        RunCompletedFrame: {
            /**
             * @description The type of the frame, equal to `event` of the stream. (enum property replaced by openapi-typescript)
             * @enum {string}
             */
            type: "run.completed";
            /**
             * @description The id of a run.
             * @example run_01kf3xw0fqe1vrr9m8sdv2wbx4
             */
            run_id: string;
            /**
             * Format: date-time
             * @description When it happened.
             */
            created_at: string;
            /** @description The whole run at its end. */
            run: components["schemas"]["Run"];
        };
        /** @description The run was accepted. */
        RunCreatedFrame: {
            /**
             * @description The type of the frame, equal to `event` of the stream. (enum property replaced by openapi-typescript)
             * @enum {string}
             */
            type: "run.created";
            /**
             * @description The id of a run.
             * @example run_01kf3xw0fqe1vrr9m8sdv2wbx4
             */
            run_id: string;
            /**
             * Format: date-time
             * @description When it happened.
             */
            created_at: string;
        };
        RunDiagnosis: {
            /**
             * @description The id of a run.
             * @example run_01kf3xw0fqe1vrr9m8sdv2wbx4
             */
            run_id: string;
            status: components["schemas"]["RunStatus"];
            waiting_for: components["schemas"]["RunWaitReason"];
            /** @description The explanation, for people. */
            message: string;
            /**
             * Format: date-time
             * @description When this wait began.
             */
            since: string | null;
            /**
             * Format: int64
             * @description Position in the queue.
             */
            queue_position: number | null;
            /** @description Runs of the organisation that hold its slots, up to ten. */
            blocked_by: string[];
            /**
             * Format: date-time
             * @description When the next attempt is due.
             */
            retry_at: string | null;
            /** @description Open actions that wait for a decision. */
            action_ids: string[];
            /**
             * Format: date-time
             * @description When the run last made progress.
             */
            last_progress_at: string | null;
            /**
             * Format: date-time
             * @description When the run times out next.
             */
            next_deadline_at: string | null;
        };
        RunError: {
            code: components["schemas"]["RunErrorCode"];
            /** @description The cause in words. The text can change. */
            message: string;
            /** @description Whether a new run with the same input can succeed. */
            retryable: boolean;
            /** @description More about the cause, depending on `code`. */
            details: {
                [key: string]: unknown;
            } | null;
        };
        /**
         * @description The cause, for programs.
         * @enum {string}
         */
        RunErrorCode: "run_timeout" | "queue_timeout" | "action_timeout" | "budget_exceeded" | "guardrail_blocked" | "agent_error" | "model_error" | "tool_error" | "output_invalid" | "output_too_large" | "storage_exceeded" | "max_steps_exceeded" | "internal_error";
        /** @description An agent run failed or timed out; `error` has the cause. */
        RunFailedEvent: {
            /**
             * @description The id of an event.
             * @example evt_01kf3xw0fqe1vrr9m8sdv2wbx4
             */
            id: string;
            /**
             * @description The type of the event. (enum property replaced by openapi-typescript)
             * @enum {string}
             */
            type: "run.failed";
            /**
             * Format: date-time
             * @description When it happened.
             */
            created_at: string;
            data: components["schemas"]["Run"];
        };
        /** @description The run has failed. The last frame of the stream. */
        RunFailedFrame: {
            /**
             * @description The type of the frame, equal to `event` of the stream. (enum property replaced by openapi-typescript)
             * @enum {string}
             */
            type: "run.failed";
            /**
             * @description The id of a run.
             * @example run_01kf3xw0fqe1vrr9m8sdv2wbx4
             */
            run_id: string;
            /**
             * Format: date-time
             * @description When it happened.
             */
            created_at: string;
            /** @description The whole run at its end. */
            run: components["schemas"]["Run"];
        };
        /** @description The `data` of one frame of a stream, by `type`. Ignore frames of an unknown type. */
        RunFrame: components["schemas"]["RunCreatedFrame"] | components["schemas"]["RunStartedFrame"] | components["schemas"]["RunStepStartedFrame"] | components["schemas"]["RunStepCompletedFrame"] | components["schemas"]["RunToolCallStartedFrame"] | components["schemas"]["RunToolCallCompletedFrame"] | components["schemas"]["RunOutputDeltaFrame"] | components["schemas"]["RunOutputResetFrame"] | components["schemas"]["RunSnapshotFrame"] | components["schemas"]["RunRequiresActionFrame"] | components["schemas"]["RunResumedFrame"] | components["schemas"]["RunCancellingFrame"] | components["schemas"]["RunCompletedFrame"] | components["schemas"]["RunFailedFrame"] | components["schemas"]["RunCancelledFrame"];
        /** @description One page of a list. */
        RunList: {
            /**
             * @description Always `list`.
             * @constant
             */
            object: "list";
            /** @description The items of this page. */
            data: components["schemas"]["Run"][];
            /** @description Whether more items follow in the direction of the request. A page of large items ends before `limit`. */
            has_more: boolean;
            /** @description The first id of this page. Send it as `before` for newer items. */
            first_id: string | null;
            /** @description The last id of this page. Send it as `after` for older items. */
            last_id: string | null;
        };
        /** @description A part of the text that the agent produces. */
        RunOutputDeltaFrame: {
            /**
             * @description The type of the frame, equal to `event` of the stream. (enum property replaced by openapi-typescript)
             * @enum {string}
             */
            type: "run.output.delta";
            /**
             * @description The id of a run.
             * @example run_01kf3xw0fqe1vrr9m8sdv2wbx4
             */
            run_id: string;
            /**
             * Format: date-time
             * @description When it happened.
             */
            created_at: string;
            /**
             * Format: int64
             * @description The number of the step, from 1.
             */
            step: number;
            /** @description Text to append to the output of this step. */
            delta: string;
        };
        /** @description A step is repeated or ended in tool calls: drop the text of its deltas. */
        RunOutputResetFrame: {
            /**
             * @description The type of the frame, equal to `event` of the stream. (enum property replaced by openapi-typescript)
             * @enum {string}
             */
            type: "run.output.reset";
            /**
             * @description The id of a run.
             * @example run_01kf3xw0fqe1vrr9m8sdv2wbx4
             */
            run_id: string;
            /**
             * Format: date-time
             * @description When it happened.
             */
            created_at: string;
            /**
             * Format: int64
             * @description The number of the step, from 1.
             */
            step: number;
        };
        /** @description A run waits for a person. */
        RunRequiresActionEvent: {
            /**
             * @description The id of an event.
             * @example evt_01kf3xw0fqe1vrr9m8sdv2wbx4
             */
            id: string;
            /**
             * @description The type of the event. (enum property replaced by openapi-typescript)
             * @enum {string}
             */
            type: "run.requires_action";
            /**
             * Format: date-time
             * @description When it happened.
             */
            created_at: string;
            data: components["schemas"]["Run"];
        };
        /** @description The run waits for a person. */
        RunRequiresActionFrame: {
            /**
             * @description The type of the frame, equal to `event` of the stream. (enum property replaced by openapi-typescript)
             * @enum {string}
             */
            type: "run.requires_action";
            /**
             * @description The id of a run.
             * @example run_01kf3xw0fqe1vrr9m8sdv2wbx4
             */
            run_id: string;
            /**
             * Format: date-time
             * @description When it happened.
             */
            created_at: string;
            /** @description The open decisions. */
            required_actions: components["schemas"]["RequiredAction"][];
        };
        /** @description The run continues after a decision. */
        RunResumedFrame: {
            /**
             * @description The type of the frame, equal to `event` of the stream. (enum property replaced by openapi-typescript)
             * @enum {string}
             */
            type: "run.resumed";
            /**
             * @description The id of a run.
             * @example run_01kf3xw0fqe1vrr9m8sdv2wbx4
             */
            run_id: string;
            /**
             * Format: date-time
             * @description When it happened.
             */
            created_at: string;
        };
        /** @description Stands for earlier frames that are no longer kept: the state of the run. */
        RunSnapshotFrame: {
            /**
             * @description The type of the frame, equal to `event` of the stream. (enum property replaced by openapi-typescript)
             * @enum {string}
             */
            type: "run.snapshot";
            /**
             * @description The id of a run.
             * @example run_01kf3xw0fqe1vrr9m8sdv2wbx4
             */
            run_id: string;
            /**
             * Format: date-time
             * @description When it happened.
             */
            created_at: string;
            /** @description The run as it is now. */
            run: components["schemas"]["Run"];
        };
        /** @description The first step of the run begins. */
        RunStartedFrame: {
            /**
             * @description The type of the frame, equal to `event` of the stream. (enum property replaced by openapi-typescript)
             * @enum {string}
             */
            type: "run.started";
            /**
             * @description The id of a run.
             * @example run_01kf3xw0fqe1vrr9m8sdv2wbx4
             */
            run_id: string;
            /**
             * Format: date-time
             * @description When it happened.
             */
            created_at: string;
        };
        /**
         * @description The state of a run. It ends as `completed`, `failed` or `cancelled`.
         * @enum {string}
         */
        RunStatus: "queued" | "running" | "requires_action" | "cancelling" | "completed" | "failed" | "cancelled";
        RunStep: {
            /**
             * @description Always `run_step`.
             * @constant
             */
            object: "run_step";
            /**
             * Format: int64
             * @description The number of the step, from 1.
             */
            number: number;
            type: components["schemas"]["RunStepType"];
            status: components["schemas"]["RunStepStatus"];
            /** @description The model, as `provider/model`; null without a model call. */
            model: string | null;
            /** @description The text that the model produced in this step. */
            text: string | null;
            /** @description The tool calls of this step. */
            tool_calls: components["schemas"]["RunToolCall"][];
            /** @description Decisions of people in this step, with their reasons. */
            decisions: components["schemas"]["ActionDecision"][];
            usage: components["schemas"]["RunUsage"];
            /**
             * Format: date-time
             * @description When the step began.
             */
            started_at: string;
            /**
             * Format: date-time
             * @description When the step ended; null before.
             */
            finished_at: string | null;
            /**
             * Format: int64
             * @description Milliseconds from begin to end; null before the end.
             */
            duration_ms: number | null;
        };
        /** @description A step has ended and is stored. */
        RunStepCompletedFrame: {
            /**
             * @description The type of the frame, equal to `event` of the stream. (enum property replaced by openapi-typescript)
             * @enum {string}
             */
            type: "run.step.completed";
            /**
             * @description The id of a run.
             * @example run_01kf3xw0fqe1vrr9m8sdv2wbx4
             */
            run_id: string;
            /**
             * Format: date-time
             * @description When it happened.
             */
            created_at: string;
            /**
             * Format: int64
             * @description The number of the step, from 1.
             */
            step: number;
        };
        /** @description One page of a list. */
        RunStepList: {
            /**
             * @description Always `list`.
             * @constant
             */
            object: "list";
            /** @description The items of this page. */
            data: components["schemas"]["RunStep"][];
            /** @description Whether more items follow in the direction of the request. A page of large items ends before `limit`. */
            has_more: boolean;
            /** @description The first id of this page. Send it as `before` for newer items. */
            first_id: string | null;
            /** @description The last id of this page. Send it as `after` for older items. */
            last_id: string | null;
        };
        /** @description A step begins. */
        RunStepStartedFrame: {
            /**
             * @description The type of the frame, equal to `event` of the stream. (enum property replaced by openapi-typescript)
             * @enum {string}
             */
            type: "run.step.started";
            /**
             * @description The id of a run.
             * @example run_01kf3xw0fqe1vrr9m8sdv2wbx4
             */
            run_id: string;
            /**
             * Format: date-time
             * @description When it happened.
             */
            created_at: string;
            /**
             * Format: int64
             * @description The number of the step, from 1.
             */
            step: number;
        };
        /**
         * @description Whether the step has ended.
         * @enum {string}
         */
        RunStepStatus: "running" | "completed";
        /**
         * @description `model`: a model call. `tools`: tool calls. `remote`: a call of a remote agent.
         * @enum {string}
         */
        RunStepType: "model" | "tools" | "remote";
        /** @description Where the time of the run was spent. */
        RunTiming: {
            /**
             * Format: int64
             * @description Milliseconds before the first step; null before it.
             */
            queue_ms: number | null;
            /**
             * Format: int64
             * @description Milliseconds in execution; null before the end.
             */
            execution_ms: number | null;
            /**
             * Format: int64
             * @description Milliseconds of waiting for people.
             */
            waiting_ms: number;
        };
        RunToolCall: {
            /** @description The name of the tool. */
            name: string;
            /** @description The connector of the tool; null for built-in tools. */
            connector_id: string | null;
            /** @description The arguments of the call. */
            arguments: {
                [key: string]: unknown;
            };
            status: components["schemas"]["ToolCallStatus"];
            /** @description The result of the tool; null before. */
            result?: unknown;
            /** @description The approval or rejection of this call, with its reason. */
            decision: components["schemas"]["ActionDecision"] | null;
            /**
             * Format: date-time
             * @description When the call began; null before.
             */
            started_at: string | null;
            /**
             * Format: date-time
             * @description When the call ended; null before.
             */
            finished_at: string | null;
        };
        /** @description A tool call has ended. */
        RunToolCallCompletedFrame: {
            /**
             * @description The type of the frame, equal to `event` of the stream. (enum property replaced by openapi-typescript)
             * @enum {string}
             */
            type: "run.tool_call.completed";
            /**
             * @description The id of a run.
             * @example run_01kf3xw0fqe1vrr9m8sdv2wbx4
             */
            run_id: string;
            /**
             * Format: date-time
             * @description When it happened.
             */
            created_at: string;
            /**
             * Format: int64
             * @description The number of the step, from 1.
             */
            step: number;
            /**
             * Format: int64
             * @description The number of the tool call within the step.
             */
            call: number;
            /** @description The name of the tool. */
            name: string;
            status: components["schemas"]["ToolCallOutcome"];
            /** @description The result of the tool, or its error. */
            result?: unknown;
        };
        /** @description A tool is called. */
        RunToolCallStartedFrame: {
            /**
             * @description The type of the frame, equal to `event` of the stream. (enum property replaced by openapi-typescript)
             * @enum {string}
             */
            type: "run.tool_call.started";
            /**
             * @description The id of a run.
             * @example run_01kf3xw0fqe1vrr9m8sdv2wbx4
             */
            run_id: string;
            /**
             * Format: date-time
             * @description When it happened.
             */
            created_at: string;
            /**
             * Format: int64
             * @description The number of the step, from 1.
             */
            step: number;
            /**
             * Format: int64
             * @description The number of the tool call within the step.
             */
            call: number;
            /** @description The name of the tool. */
            name: string;
            /** @description The arguments of the call. */
            arguments: {
                [key: string]: unknown;
            };
        };
        /** @description Tokens and cost of the model calls. */
        RunUsage: {
            /**
             * Format: int64
             * @description Tokens that models read.
             */
            input_tokens: number;
            /**
             * Format: int64
             * @description Tokens that models wrote.
             */
            output_tokens: number;
            /**
             * Format: double
             * @description The cost in US dollars; null if a model has no price.
             */
            cost_usd: number | null;
        };
        /**
         * @description `slot`: a free slot. `worker`: a worker to take it. `provider`: the current step, such as a model call. `action`: a person. `nothing`: it has ended.
         * @enum {string}
         */
        RunWaitReason: "slot" | "worker" | "provider" | "action" | "nothing";
        /**
         * @description A permission: resource and kind of access.
         * @enum {string}
         */
        Scope: "runs:read" | "runs:write" | "runs:approve" | "runs:erase" | "agents:read" | "agents:write" | "webhooks:read" | "webhooks:write" | "keys:read" | "keys:write" | "usage:read" | "analytics:read" | "pipelines:read" | "pipelines:write" | "policies:read" | "policies:write" | "connectors:read" | "connectors:write" | "alerts:read" | "alerts:write" | "events:read" | "audit:read" | "members:write";
        SendAction: {
            /**
             * @description `approve` or `reject` an approval, `respond` to an input or reconcile question, or send a `message`.
             * @enum {string}
             */
            type: "approve" | "reject" | "respond" | "message";
            /**
             * @description Which open action you decide. Optional if exactly one is open.
             * @example act_01kf3xw0fqe1vrr9m8sdv2wbx4
             */
            action_id?: string;
            /** @description The reason; it is recorded. */
            comment?: string;
            /** @description For `respond`: a value that matches `response_schema`. For `message`: `{"message": "…"}`. */
            payload?: unknown;
        };
        /** @description A browser session of a person. */
        Session: {
            /**
             * @description Always `session`.
             * @constant
             */
            object: "session";
            /**
             * @description The kind of credential. (enum property replaced by openapi-typescript)
             * @enum {string}
             */
            type: "session";
            /**
             * @description The id of a session.
             * @example ses_01kf3xw0fqe1vrr9m8sdv2wbx4
             */
            id: string;
            user: components["schemas"]["User"];
            organisation: components["schemas"]["Organisation"];
            role: components["schemas"]["Role"];
            /** @description The permissions that it holds. */
            scopes: components["schemas"]["Scope"][];
            /** @description All organisations of the person, with the role in each. */
            organisations: components["schemas"]["Membership"][];
            /**
             * Format: date-time
             * @description The latest end of the session. It ends earlier if it is not used.
             */
            expires_at: string;
        };
        SessionRecord: {
            /**
             * @description The id of a session.
             * @example ses_01kf3xw0fqe1vrr9m8sdv2wbx4
             */
            id: string;
            /**
             * @description Always `session_record`.
             * @constant
             */
            object: "session_record";
            /**
             * @description The id of an organisation.
             * @example org_01kf3xw0fqe1vrr9m8sdv2wbx4
             */
            organisation_id: string;
            /** @description Whether this request uses it. */
            is_current: boolean;
            /**
             * Format: date-time
             * @description When it was created.
             */
            created_at: string;
            /**
             * Format: date-time
             * @description When it was last used, accurate to about a minute.
             */
            seen_at: string;
            /**
             * Format: date-time
             * @description When it ends at the latest.
             */
            expires_at: string;
            /**
             * Format: date-time
             * @description When it ended; null if it is active.
             */
            ended_at: string | null;
            /** @description The IP address at login. */
            address: string | null;
            /** @description The browser at login. */
            user_agent: string | null;
        };
        /** @description One page of a list. */
        SessionRecordList: {
            /**
             * @description Always `list`.
             * @constant
             */
            object: "list";
            /** @description The items of this page. */
            data: components["schemas"]["SessionRecord"][];
            /** @description Whether more items follow in the direction of the request. A page of large items ends before `limit`. */
            has_more: boolean;
            /** @description The first id of this page. Send it as `before` for newer items. */
            first_id: string | null;
            /** @description The last id of this page. Send it as `after` for older items. */
            last_id: string | null;
        };
        SessionToken: {
            /**
             * @description Always `session_token`.
             * @constant
             */
            object: "session_token";
            /** @description The complete token. Only this response contains it. */
            token: string;
            /** @description The permissions that it holds. */
            scopes: components["schemas"]["Scope"][];
            /**
             * @description The only run that the token can use; null: the runs that it creates.
             * @example run_01kf3xw0fqe1vrr9m8sdv2wbx4
             */
            run_id: string | null;
            /**
             * Format: date-time
             * @description When the token stops working.
             */
            expires_at: string;
        };
        SwitchOrganisation: {
            /**
             * @description The id of an organisation.
             * @example org_01kf3xw0fqe1vrr9m8sdv2wbx4
             */
            organisation_id: string;
        };
        /** @description A test event was requested; it is sent to one webhook only. */
        TestEvent: {
            /**
             * @description The id of an event.
             * @example evt_01kf3xw0fqe1vrr9m8sdv2wbx4
             */
            id: string;
            /**
             * @description The type of the event. (enum property replaced by openapi-typescript)
             * @enum {string}
             */
            type: "test";
            /**
             * Format: date-time
             * @description When it happened.
             */
            created_at: string;
            data: components["schemas"]["TestEventData"];
        };
        /** @description The data of a test event. */
        TestEventData: {
            /** @description A fixed text. */
            message: string;
            /**
             * @description The id of a webhook.
             * @example wh_01kf3xw0fqe1vrr9m8sdv2wbx4
             */
            webhook_id: string;
        };
        TestWebhook: {
            /** @description The type of the sample. Default: `test`. */
            event_type?: string;
        };
        /**
         * @description `failed`: the agent was told what went wrong.
         * @enum {string}
         */
        ToolCallOutcome: "completed" | "failed";
        /**
         * @description `waiting`: a person must approve it. `started`: it is under way.
         * @enum {string}
         */
        ToolCallStatus: "waiting" | "started" | "completed" | "failed";
        /**
         * @description How the tool changed.
         * @enum {string}
         */
        ToolChange: "new" | "changed" | "gone";
        /** @description The number of tools by state. Agents get approved tools only. */
        ToolCounts: {
            /**
             * Format: int64
             * @description Tools that agents can use.
             */
            approved: number;
            /**
             * Format: int64
             * @description Tools that were never approved.
             */
            pending: number;
            /**
             * Format: int64
             * @description Tools that differ from what was approved.
             */
            changed: number;
            /**
             * Format: int64
             * @description Tools that the server no longer lists.
             */
            gone: number;
        };
        /** @description The annotations of the server, with the defaults of MCP where it sends none. */
        ToolHints: {
            /** @description It changes nothing. */
            read_only: boolean;
            /** @description It can delete or overwrite. */
            destructive: boolean;
            /** @description A repeated call has no further effect. */
            idempotent: boolean;
            /** @description It reaches systems outside the server. */
            open_world: boolean;
        };
        /** @description A tool as its server lists it. */
        ToolManifest: {
            /** @description The name of the tool. */
            name: string;
            /** @description The name for people. */
            title: string | null;
            /** @description What the tool does. Models read it. */
            description: string;
            /** @description JSON Schema of the arguments. */
            input_schema: {
                [key: string]: unknown;
            };
            /** @description JSON Schema of the result. */
            output_schema: {
                [key: string]: unknown;
            } | null;
            hints: components["schemas"]["ToolHints"];
        };
        /**
         * @description `approved`: agents can use it. The others are off: `pending` was never approved, `changed` differs from what was approved, `gone` is no longer listed by the server.
         * @enum {string}
         */
        ToolState: "approved" | "pending" | "changed" | "gone";
        UpdateAgent: {
            /** @description The name of the agent. */
            name?: string | null;
            /** @description What the agent does, for people. */
            description?: string | null;
            config?: components["schemas"]["AgentConfigInput"] | null;
            /** @description JSON Schema that the input of a run must match. */
            input_schema?: {
                [key: string]: unknown;
            } | null;
            /** @description JSON Schema that the output of a run must match. */
            output_schema?: {
                [key: string]: unknown;
            } | null;
            limits?: components["schemas"]["AgentLimitsInput"] | null;
            /** @description The guardrail policies that apply to its runs, by name. */
            policies?: string[] | null;
            /** @description Your own key-value pairs. They are merged; null removes a key. */
            metadata?: {
                [key: string]: string | null;
            } | null;
            /**
             * Format: int64
             * @description Adopts this version of the catalog agent. Your own changes since you hired it are kept.
             */
            catalog_version?: number;
            /**
             * Format: int64
             * @description The version that your change is based on. If a newer one exists, nothing changes (`version_conflict`).
             */
            version?: number;
            rollout?: components["schemas"]["Rollout"];
        };
        UpdateApiKey: {
            /** @description The name of the key, for people. */
            name?: string;
            /**
             * @description One or more of runs:read, runs:write, runs:approve, runs:erase, agents:read, agents:write, webhooks:read, webhooks:write, keys:read, keys:write, usage:read, analytics:read, pipelines:read, pipelines:write, policies:read, policies:write, connectors:read, connectors:write, alerts:read, alerts:write, events:read, audit:read, members:write. There is no wildcard.
             * @example [
             *       "runs:write"
             *     ]
             */
            scopes?: string[];
            /** @description Limits the key to these agents. Null or omitted: all agents of the organisation. */
            agent_ids?: string[] | null;
            /**
             * Format: date-time
             * @description When the key stops working. Null or omitted: never. A key that ends can only create keys that end no later; the organisation may limit the lifetime.
             */
            expires_at?: string | null;
        };
        UpdateConnector: {
            /** @description The name of the connector. */
            name?: string;
            /** @description Another address is another server: all tools wait for approval again. */
            url?: string;
            /** @description Replaces the credential. Required with a new `url` if the connector has a credential. */
            auth?: components["schemas"]["ConnectorAuthInput"];
        };
        UpdateMember: {
            /**
             * @description What a person can do in an organisation. Each role includes the roles after it.
             * @enum {string}
             */
            role: "owner" | "admin" | "developer" | "viewer";
        };
        UpdateWebhook: {
            /** @description HTTPS on a public host, port 443 or a port that the operator allows. */
            url?: string;
            /** @description Event types; `*` selects all. */
            events?: string[];
            /** @description False pauses the webhook. True also enables a webhook that the service has disabled. */
            active?: boolean;
            /** @description Your own note. */
            description?: string | null;
        };
        /** @description A person. */
        User: {
            /**
             * @description The id of a user.
             * @example usr_01kf3xw0fqe1vrr9m8sdv2wbx4
             */
            id: string;
            /** @description The e-mail address. */
            email: string;
            /** @description The name. */
            name: string;
        };
        /** @description The versions before and after the change. */
        VersionChange: {
            /**
             * Format: int64
             * @description The version before.
             */
            old: number;
            /**
             * Format: int64
             * @description The version now.
             */
            new: number;
        };
        /** @description An endpoint that receives events. */
        Webhook: {
            /**
             * @description The id of a webhook.
             * @example wh_01kf3xw0fqe1vrr9m8sdv2wbx4
             */
            id: string;
            /**
             * @description Always `webhook`.
             * @constant
             */
            object: "webhook";
            /** @description The endpoint that receives the events. */
            url: string;
            /** @description Event types; `*` selects all. */
            events: string[];
            /** @description Whether deliveries are sent. */
            active: boolean;
            /** @description Your own note. */
            description: string | null;
            /** @description The last characters of the signing secret. */
            secret_hint: string;
            status: components["schemas"]["WebhookStatus"];
            /**
             * Format: date-time
             * @description When it was disabled; null if it is active.
             */
            disabled_at: string | null;
            disabled_reason: components["schemas"]["WebhookDisabledReason"] | null;
            /**
             * Format: date-time
             * @description Since when all deliveries have failed.
             */
            failing_since: string | null;
            /**
             * Format: date-time
             * @description Events since this time may not have been delivered. To send them, use `POST /webhooks/{id}/recover`.
             */
            missed_since: string | null;
            /**
             * Format: date-time
             * @description When it was created.
             */
            created_at: string;
        };
        /** @description The service disabled a webhook; `reason` has the cause. */
        WebhookDisabledEvent: {
            /**
             * @description The id of an event.
             * @example evt_01kf3xw0fqe1vrr9m8sdv2wbx4
             */
            id: string;
            /**
             * @description The type of the event. (enum property replaced by openapi-typescript)
             * @enum {string}
             */
            type: "webhook.disabled";
            /**
             * Format: date-time
             * @description When it happened.
             */
            created_at: string;
            data: components["schemas"]["DisabledWebhook"];
        };
        /**
         * @description `paused`: by a request. `gone`: the endpoint responded with 410. `failing`: all deliveries failed for days.
         * @enum {string}
         */
        WebhookDisabledReason: "paused" | "gone" | "failing";
        /** @description One page of a list. */
        WebhookList: {
            /**
             * @description Always `list`.
             * @constant
             */
            object: "list";
            /** @description The items of this page. */
            data: components["schemas"]["Webhook"][];
            /** @description Whether more items follow in the direction of the request. A page of large items ends before `limit`. */
            has_more: boolean;
            /** @description The first id of this page. Send it as `before` for newer items. */
            first_id: string | null;
            /** @description The last id of this page. Send it as `after` for older items. */
            last_id: string | null;
        };
        /**
         * @description `failing`: the latest deliveries failed. `disabled`: nothing is sent.
         * @enum {string}
         */
        WebhookStatus: "healthy" | "failing" | "disabled";
        WebhookWithSecret: {
            /**
             * @description The id of a webhook.
             * @example wh_01kf3xw0fqe1vrr9m8sdv2wbx4
             */
            id: string;
            /**
             * @description Always `webhook`.
             * @constant
             */
            object: "webhook";
            /** @description The endpoint that receives the events. */
            url: string;
            /** @description Event types; `*` selects all. */
            events: string[];
            /** @description Whether deliveries are sent. */
            active: boolean;
            /** @description Your own note. */
            description: string | null;
            /** @description The last characters of the signing secret. */
            secret_hint: string;
            status: components["schemas"]["WebhookStatus"];
            /**
             * Format: date-time
             * @description When it was disabled; null if it is active.
             */
            disabled_at: string | null;
            disabled_reason: components["schemas"]["WebhookDisabledReason"] | null;
            /**
             * Format: date-time
             * @description Since when all deliveries have failed.
             */
            failing_since: string | null;
            /**
             * Format: date-time
             * @description Events since this time may not have been delivered. To send them, use `POST /webhooks/{id}/recover`.
             */
            missed_since: string | null;
            /**
             * Format: date-time
             * @description When it was created.
             */
            created_at: string;
            /** @description The signing secret. Shown once; null in a replay. */
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
                /** @description Maximum number of items, 1 to 100. */
                limit?: number;
                /** @description Returns the items after this id in list order. */
                after?: string;
                /** @description Returns the items before this id in list order. */
                before?: string;
                /** @description The id of an agent. */
                agent_id?: string;
                /** @description One or more of queued, running, requires_action, cancelling, completed, failed, cancelled, separated by commas. */
                status?: string;
                /** @description Only items that were created at or after this time. */
                created_after?: string;
                /** @description Only items that were created before this time. */
                created_before?: string;
                /** @description The id of a pipeline run. */
                pipeline_run_id?: string;
                /** @description Send as `metadata[key]=value`. Runs must match all given pairs. */
                metadata?: {
                    [key: string]: string;
                };
                /** @description `summary`: `input` is `{}`, `output` is null, and `input_preview` and `output_preview` have their first 200 characters. */
                view?: "full" | "summary";
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
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
            /** @description Success. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Run"];
                };
            };
            /** @description Accepted, but not finished yet. */
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
            /** @description Success. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/event-stream": string;
                };
            };
        };
    };
    "runs.get": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The id of a run. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
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
                /** @description The id of a run. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
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
                /** @description Returns the frames after this id. Equivalent to the header `Last-Event-ID`. */
                after?: number;
            };
            header?: never;
            path: {
                /** @description The id of a run. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/event-stream": string;
                };
            };
        };
    };
    "runs.steps": {
        parameters: {
            query?: {
                /** @description Maximum number of items, 1 to 100. */
                limit?: number;
                /** @description Returns the items after this id in list order. */
                after?: number;
                /** @description Returns the items before this id in list order. */
                before?: number;
            };
            header?: never;
            path: {
                /** @description The id of a run. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
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
                /** @description The id of a run. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
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
                /** @description The id of a run. */
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
            /** @description Success. */
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
                /** @description The id of a run. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
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
                /** @description Maximum number of items, 1 to 100. */
                limit?: number;
                /** @description Returns the items after this id in list order. */
                after?: string;
                /** @description Returns the items before this id in list order. */
                before?: string;
                /** @description Only agents in this state. */
                status?: "active" | "archived";
                /** @description Only agents from this source. */
                source?: "catalog" | "custom";
                /** @description Text to search for in name and description. */
                q?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
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
                /** @description The id of an agent. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
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
                /** @description The id of an agent. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
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
                /** @description The id of an agent. */
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
            /** @description Success. */
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
    "agents.unarchive": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The id of an agent. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
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
    "agents.rotateSigningSecret": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The id of an agent. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["RotateSigningSecret"];
            };
        };
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AgentWithSecret"];
                };
            };
        };
    };
    "agents.hire": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The key of a catalog agent. */
                catalog_key: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["HireAgent"];
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
                /** @description Maximum number of items, 1 to 100. */
                limit?: number;
                /** @description Returns the items after this id in list order. */
                after?: number;
                /** @description Returns the items before this id in list order. */
                before?: number;
            };
            header?: never;
            path: {
                /** @description The id of an agent. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
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
                /** @description The id of an agent. */
                id: string;
                /** @description The number of a version. */
                version: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
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
                /** @description The version to compare with. */
                to: number;
            };
            header?: never;
            path: {
                /** @description The id of an agent. */
                id: string;
                /** @description The number of a version. */
                version: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
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
    "agents.stats": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The id of an agent. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AgentStats"];
                };
            };
        };
    };
    "catalog.list": {
        parameters: {
            query?: {
                /** @description Maximum number of items, 1 to 100. */
                limit?: number;
                /** @description Returns the items after this id in list order. */
                after?: string;
                /** @description Returns the items before this id in list order. */
                before?: string;
                /** @description Text to search for. */
                q?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
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
                /** @description The key of a catalog agent. */
                key: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
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
    "models.list": {
        parameters: {
            query?: {
                /** @description Maximum number of items, 1 to 100. */
                limit?: number;
                /** @description Returns the items after this id in list order. */
                after?: string;
                /** @description Returns the items before this id in list order. */
                before?: string;
                /** @description Text to search for in the id. */
                q?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ModelList"];
                };
            };
        };
    };
    "deployments.list": {
        parameters: {
            query?: {
                /** @description Maximum number of items, 1 to 100. */
                limit?: number;
                /** @description Returns the items after this id in list order. */
                after?: string;
                /** @description Returns the items before this id in list order. */
                before?: string;
                /** @description The id of an agent. */
                agent_id?: string;
                /** @description Only deployments in this state. */
                status?: "active" | "canary" | "superseded" | "rolled_back";
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
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
                /** @description The id of a deployment. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
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
                /** @description The id of a deployment. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["PromoteDeployment"];
            };
        };
        responses: {
            /** @description Success. */
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
                /** @description The id of a deployment. */
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["RollBackDeployment"];
            };
        };
        responses: {
            /** @description Success. */
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
                /** @description Maximum number of items, 1 to 100. */
                limit?: number;
                /** @description Returns the items after this id in list order. */
                after?: string;
                /** @description Returns the items before this id in list order. */
                before?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
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
                /** @description The id of a connector. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
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
                /** @description The id of a connector. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
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
    "connectors.update": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The id of a connector. */
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["UpdateConnector"];
            };
        };
        responses: {
            /** @description Success. */
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
    "connectors.refresh": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The id of a connector. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RefreshedConnector"];
                };
            };
        };
    };
    "connectors.listTools": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The id of a connector. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ConnectorToolList"];
                };
            };
        };
    };
    "connectors.approveTool": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The id of a connector. */
                id: string;
                /** @description The name of the tool. */
                name: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ApproveTool"];
            };
        };
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ConnectorTool"];
                };
            };
        };
    };
    "webhooks.list": {
        parameters: {
            query?: {
                /** @description Maximum number of items, 1 to 100. */
                limit?: number;
                /** @description Returns the items after this id in list order. */
                after?: string;
                /** @description Returns the items before this id in list order. */
                before?: string;
                /** @description `failing`: the latest deliveries failed. `disabled`: nothing is sent. */
                status?: "healthy" | "failing" | "disabled";
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
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
                /** @description The id of a webhook. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
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
                /** @description The id of a webhook. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
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
                /** @description The id of a webhook. */
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
            /** @description Success. */
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
                /** @description The id of a webhook. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["RotateWebhookSecret"];
            };
        };
        responses: {
            /** @description Success. */
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
                /** @description The id of a webhook. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["TestWebhook"];
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
                /** @description Maximum number of items, 1 to 100. */
                limit?: number;
                /** @description Returns the items after this id in list order. */
                after?: string;
                /** @description Returns the items before this id in list order. */
                before?: string;
                /** @description Only deliveries in this state. */
                status?: "pending" | "succeeded" | "failed";
                /** @description Only deliveries of this event. */
                event_id?: string;
                /** @description Only deliveries of events of this type. */
                event_type?: "run.completed" | "run.failed" | "deployment.created" | "deployment.rollback" | "alert.triggered" | "agent.updated" | "pipeline.completed" | "run.requires_action" | "run.cancelled" | "webhook.disabled" | "connector.tool_changed" | "api_key.expiring" | "api_key.exposed" | "test";
                /** @description Only items that were created at or after this time. */
                created_after?: string;
                /** @description Only items that were created before this time. */
                created_before?: string;
            };
            header?: never;
            path: {
                /** @description The id of a webhook. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
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
                /** @description The id of a webhook. */
                id: string;
                /** @description The id of a delivery. */
                delivery_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
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
                /** @description The id of a webhook. */
                id: string;
                /** @description The id of a delivery. */
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
                /** @description Maximum number of items, 1 to 100. */
                limit?: number;
                /** @description Returns the items after this id in list order. */
                after?: string;
                /** @description Returns the items before this id in list order. */
                before?: string;
                /** @description Only events at or after this time. */
                since?: string;
                /** @description Only events before this time. */
                until?: string;
            };
            header?: never;
            path: {
                /** @description The id of a webhook. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
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
                /** @description The id of a webhook. */
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["RecoverWebhook"];
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
                /** @description Maximum number of items, 1 to 100. */
                limit?: number;
                /** @description Returns the items after this id in list order. */
                after?: string;
                /** @description Returns the items before this id in list order. */
                before?: string;
            };
            header?: never;
            path: {
                /** @description The id of a webhook. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
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
                /** @description The id of a webhook. */
                id: string;
                /** @description The id of a recovery. */
                recovery_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
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
                /** @description The id of a webhook. */
                id: string;
                /** @description The id of a recovery. */
                recovery_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
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
                /** @description Maximum number of items, 1 to 100. */
                limit?: number;
                /** @description Returns the items after this id in list order. */
                after?: string;
                /** @description Returns the items before this id in list order. */
                before?: string;
                /** @description One or more types, separated by commas. */
                type?: string;
                /** @description Only items that were created at or after this time. */
                created_after?: string;
                /** @description Only items that were created before this time. */
                created_before?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
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
                /** @description The id of an event. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
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
                /** @description One or more types, separated by commas. */
                type?: string;
                /** @description Returns the events after this id. Equivalent to the header `Last-Event-ID`. */
                after?: string;
                /** @description Returns events since this time. */
                since?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/event-stream": string;
                };
            };
        };
    };
    "apiKeys.list": {
        parameters: {
            query?: {
                /** @description Maximum number of items, 1 to 100. */
                limit?: number;
                /** @description Returns the items after this id in list order. */
                after?: string;
                /** @description Returns the items before this id in list order. */
                before?: string;
                /** @description Only keys that this key or person created. */
                created_by?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
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
                /** @description The id of an API key. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
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
            query?: {
                /** @description Whether to revoke the keys below this one as well. */
                descendants?: "true" | "false";
            };
            header?: never;
            path: {
                /** @description The id of an API key. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RevokedApiKey"];
                };
            };
        };
    };
    "apiKeys.update": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The id of an API key. */
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
            /** @description Success. */
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
                /** @description The id of an API key. */
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
                "application/json": components["schemas"]["Login"];
            };
        };
        responses: {
            /** @description Success. */
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
            /** @description Success. */
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
            /** @description Success. */
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
                "application/json": components["schemas"]["SwitchOrganisation"];
            };
        };
        responses: {
            /** @description Success. */
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
                "application/json": components["schemas"]["ChangePassword"];
            };
        };
        responses: {
            /** @description Success. */
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
                "application/json": components["schemas"]["ResetPassword"];
            };
        };
        responses: {
            /** @description Success. */
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
                "application/json": components["schemas"]["AcceptInvitation"];
            };
        };
        responses: {
            /** @description Success. */
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
                /** @description Maximum number of items, 1 to 100. */
                limit?: number;
                /** @description Returns the items after this id in list order. */
                after?: string;
                /** @description Returns the items before this id in list order. */
                before?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
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
                /** @description The id of a session. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
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
                /** @description Maximum number of items, 1 to 100. */
                limit?: number;
                /** @description Returns the items after this id in list order. */
                after?: string;
                /** @description Returns the items before this id in list order. */
                before?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
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
                /** @description Maximum number of items, 1 to 100. */
                limit?: number;
                /** @description Returns the items after this id in list order. */
                after?: string;
                /** @description Returns the items before this id in list order. */
                before?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
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
                "application/json": components["schemas"]["InviteMember"];
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
                /** @description The id of an invitation. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
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
            query?: {
                /** @description What happens to the active API keys of the person. */
                keys?: "revoke" | "keep";
            };
            header?: never;
            path: {
                /** @description The id of a member. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
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
                /** @description The id of a member. */
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["UpdateMember"];
            };
        };
        responses: {
            /** @description Success. */
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
                "application/json": components["schemas"]["ResetMemberPassword"];
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
                /** @description Maximum number of items, 1 to 100. */
                limit?: number;
                /** @description Returns the items after this id in list order. */
                after?: string;
                /** @description Returns the items before this id in list order. */
                before?: string;
                /** @description Entries of this API key or person. */
                actor?: string;
                /** @description Entries with this action, such as `api_key.revoked`. */
                action?: string;
                /** @description Entries about this resource. */
                subject?: string;
                /** @description Only items that were created at or after this time. */
                created_after?: string;
                /** @description Only items that were created before this time. */
                created_before?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
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
                "application/json": components["schemas"]["RunCompletedEvent"];
            };
        };
        responses: {
            /** @description Acknowledges the event. The complete response must arrive within 10 seconds. */
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
                "application/json": components["schemas"]["RunFailedEvent"];
            };
        };
        responses: {
            /** @description Acknowledges the event. The complete response must arrive within 10 seconds. */
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
                "application/json": components["schemas"]["DeploymentCreatedEvent"];
            };
        };
        responses: {
            /** @description Acknowledges the event. The complete response must arrive within 10 seconds. */
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
                "application/json": components["schemas"]["DeploymentRollbackEvent"];
            };
        };
        responses: {
            /** @description Acknowledges the event. The complete response must arrive within 10 seconds. */
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
                "application/json": components["schemas"]["AlertTriggeredEvent"];
            };
        };
        responses: {
            /** @description Acknowledges the event. The complete response must arrive within 10 seconds. */
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
                "application/json": components["schemas"]["AgentUpdatedEvent"];
            };
        };
        responses: {
            /** @description Acknowledges the event. The complete response must arrive within 10 seconds. */
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
                "application/json": components["schemas"]["PipelineCompletedEvent"];
            };
        };
        responses: {
            /** @description Acknowledges the event. The complete response must arrive within 10 seconds. */
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
                "application/json": components["schemas"]["RunRequiresActionEvent"];
            };
        };
        responses: {
            /** @description Acknowledges the event. The complete response must arrive within 10 seconds. */
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
                "application/json": components["schemas"]["RunCancelledEvent"];
            };
        };
        responses: {
            /** @description Acknowledges the event. The complete response must arrive within 10 seconds. */
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
                "application/json": components["schemas"]["WebhookDisabledEvent"];
            };
        };
        responses: {
            /** @description Acknowledges the event. The complete response must arrive within 10 seconds. */
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    "events.on.connector.tool_changed": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ConnectorToolChangedEvent"];
            };
        };
        responses: {
            /** @description Acknowledges the event. The complete response must arrive within 10 seconds. */
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    "events.on.api_key.expiring": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ApiKeyExpiringEvent"];
            };
        };
        responses: {
            /** @description Acknowledges the event. The complete response must arrive within 10 seconds. */
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    "events.on.api_key.exposed": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ApiKeyExposedEvent"];
            };
        };
        responses: {
            /** @description Acknowledges the event. The complete response must arrive within 10 seconds. */
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
                "application/json": components["schemas"]["TestEvent"];
            };
        };
        responses: {
            /** @description Acknowledges the event. The complete response must arrive within 10 seconds. */
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
}
