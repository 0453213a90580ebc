package ars

import (
	"errors"
	"log/slog"
	"net/http"
	"net/url"
	"os"
	"regexp"
	"runtime"
	"strings"
	"time"
)

const (
	defaultBaseURL    = "https://localhost:8443/v2"
	defaultMaxRetries = 2
	defaultTimeout    = time.Minute
)

// Client calls the service: client.Runs.Create(ctx, …). It has one method for each operation of the API, and it is safe
// for concurrent use.
type Client struct {
	resources
	caller *caller
}

// caller is what every resource shares.
type caller struct {
	baseURL    string
	httpClient *http.Client
	logger     *slog.Logger
	clock      clock
	shared     sharedSettings
	userAgent  string
	// A function, so that printing the client does not show the key.
	authorize func(http.Header)
}

// NewClient creates a client. The key and the address default to the environment variables ARS_API_KEY and
// ARS_BASE_URL.
func NewClient(options ...ClientOption) (*Client, error) {
	settings := clientSettings{
		apiKey:     os.Getenv("ARS_API_KEY"),
		baseURL:    os.Getenv("ARS_BASE_URL"),
		httpClient: http.DefaultClient,
		logger:     slog.New(slog.DiscardHandler),
		clock:      systemClock{},
		shared:     sharedSettings{maxRetries: defaultMaxRetries, timeout: defaultTimeout, headers: http.Header{}},
	}
	for _, option := range options {
		option.applyClient(&settings)
	}
	authorize := func(http.Header) {}
	if !settings.isKeyless {
		if err := checkKey(settings.apiKey); err != nil {
			return nil, err
		}
		authorization := "Bearer " + settings.apiKey
		authorize = func(header http.Header) { header.Set("Authorization", authorization) }
	}
	baseURL, err := checkedURL(settings.baseURL)
	if err != nil {
		return nil, err
	}
	// The service never redirects. A redirect comes from another server, which must not receive the key.
	httpClient := *settings.httpClient
	httpClient.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	caller := &caller{
		baseURL:    baseURL,
		httpClient: &httpClient,
		logger:     settings.logger,
		clock:      settings.clock,
		shared:     settings.shared,
		userAgent:  "agent-run-service-sdk-go/" + Version + " " + runtime.Version(),
		authorize:  authorize,
	}
	return &Client{resources: newResources(caller), caller: caller}, nil
}

// BaseURL returns the address of the service.
func (c *Client) BaseURL() string { return c.caller.baseURL }

var visibleASCII = regexp.MustCompile(`^[!-~]+$`)

func checkKey(key string) error {
	if key == "" {
		return errors.New("ars: the API key is missing: use WithAPIKey or set ARS_API_KEY")
	}
	// Checked here without quoting the key; the error of net/http would contain it.
	if !visibleASCII.MatchString(key) {
		return errors.New("ars: the API key contains an invalid character")
	}
	return nil
}

func checkedURL(text string) (string, error) {
	if text == "" {
		text = defaultBaseURL
	}
	parsed, err := url.Parse(text)
	if err != nil || parsed.Host == "" {
		return "", errors.New("ars: the base URL must be absolute, such as https://agents.example.com/v2")
	}
	if parsed.Scheme != "https" && !(parsed.Scheme == "http" && isLocal(parsed.Hostname())) {
		return "", errors.New("ars: the base URL must begin with https://, because the key must not be sent unencrypted")
	}
	if parsed.User != nil || parsed.RawQuery != "" || parsed.Fragment != "" {
		return "", errors.New("ars: the base URL must not contain credentials, a query or a fragment")
	}
	return parsed.Scheme + "://" + parsed.Host + strings.TrimRight(parsed.EscapedPath(), "/"), nil
}

func isLocal(host string) bool {
	return host == "localhost" || host == "127.0.0.1" || host == "::1"
}
