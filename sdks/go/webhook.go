package ars

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"net/http"
	"regexp"
	"strconv"
	"strings"
	"time"
)

// WebhookError means that a delivery is not authentic: respond 400 and do nothing.
type WebhookError struct {
	// Reason is for programs.
	Reason WebhookRefusal
	// Message is for people.
	Message string
}

// Error returns the message.
func (e *WebhookError) Error() string { return "ars: webhook refused: " + e.Message }

// WebhookRefusal says why a delivery was refused.
type WebhookRefusal string

// The values of WebhookRefusal.
const (
	WebhookSecretInvalid     WebhookRefusal = "secret_invalid"
	WebhookHeadersMissing    WebhookRefusal = "headers_missing"
	WebhookTimestampInvalid  WebhookRefusal = "timestamp_invalid"
	WebhookTooOld            WebhookRefusal = "too_old"
	WebhookTooNew            WebhookRefusal = "too_new"
	WebhookSignatureMismatch WebhookRefusal = "signature_mismatch"
	WebhookBodyInvalid       WebhookRefusal = "body_invalid"
)

// WebhookDelivery is a delivery as your server received it.
type WebhookDelivery struct {
	// Body is the raw body, before parsing: the signature covers its bytes.
	Body []byte
	// Header is that of the request.
	Header http.Header
	// Secrets holds the secret of the webhook; during a rotation, the new and the old one.
	Secrets []string
	// Tolerance is the maximum difference of the delivery time, in either direction. Default: 5 minutes.
	Tolerance time.Duration
	// Now is for tests. Default: the present.
	Now time.Time
}

const defaultTolerance = 5 * time.Minute

// VerifyWebhook verifies a delivery and returns its event. It checks both signatures: the Standard Webhooks headers,
// which also cover id and time, and X-SERVICE-Signature if present.
func VerifyWebhook(delivery WebhookDelivery) (*Event, error) {
	if len(delivery.Secrets) == 0 {
		return nil, &WebhookError{WebhookSecretInvalid, "a secret is missing"}
	}
	for _, secret := range delivery.Secrets {
		if secret == "" {
			return nil, &WebhookError{WebhookSecretInvalid, "a secret is missing"}
		}
	}
	header := delivery.Header
	id, timestamp, signatures := header.Get("Webhook-Id"), header.Get("Webhook-Timestamp"), header.Get("Webhook-Signature")
	if id == "" || timestamp == "" || signatures == "" {
		return nil, &WebhookError{WebhookHeadersMissing, "the headers webhook-id, webhook-timestamp and webhook-signature are required"}
	}
	if err := checkTime(delivery, timestamp); err != nil {
		return nil, err
	}
	if err := checkSignatures(delivery, id, timestamp, signatures); err != nil {
		return nil, err
	}
	event := new(Event)
	isObject := strings.HasPrefix(strings.TrimLeft(string(delivery.Body[:min(len(delivery.Body), 64)]), " \t\r\n"), "{")
	if err := json.Unmarshal(delivery.Body, event); err != nil || !isObject {
		return nil, &WebhookError{WebhookBodyInvalid, "the body is signed but is not an event"}
	}
	return event, nil
}

var upToTwelveDigits = regexp.MustCompile(`^\d{1,12}$`)

func checkTime(delivery WebhookDelivery, timestamp string) error {
	if !upToTwelveDigits.MatchString(timestamp) {
		return &WebhookError{WebhookTimestampInvalid, "webhook-timestamp must be in seconds since 1970"}
	}
	tolerance, now := delivery.Tolerance, delivery.Now
	if tolerance == 0 {
		tolerance = defaultTolerance
	}
	if now.IsZero() {
		now = time.Now()
	}
	seconds, _ := strconv.ParseInt(timestamp, 10, 64)
	age := now.Sub(time.Unix(seconds, 0))
	if age > tolerance {
		return &WebhookError{WebhookTooOld, fmt.Sprintf("the delivery is older than %s", tolerance)}
	}
	if age < -tolerance {
		return &WebhookError{WebhookTooNew, fmt.Sprintf("the delivery time is more than %s in the future", tolerance)}
	}
	return nil
}

func checkSignatures(delivery WebhookDelivery, id, timestamp, signatures string) error {
	var sent []string
	for _, each := range strings.Split(signatures, " ") {
		if strings.HasPrefix(each, "v1,") {
			sent = append(sent, each)
		}
	}
	isSigned := fitsAny(delivery.Secrets, sent, func(secret string) string {
		return standardSignature(secret, id, timestamp, delivery.Body)
	})
	if !isSigned {
		return &WebhookError{WebhookSignatureMismatch, "webhook-signature does not match the body and the secret"}
	}
	plain, isSent := delivery.Header["X-Service-Signature"]
	// During a rotation this header uses the old secret, which a receiver may have dropped already.
	if isSent && len(sent) < 2 {
		isPlainSigned := fitsAny(delivery.Secrets, plain[:1], func(secret string) string {
			return plainSignature(secret, delivery.Body)
		})
		if !isPlainSigned {
			return &WebhookError{WebhookSignatureMismatch, "X-SERVICE-Signature does not match the body and the secret"}
		}
	}
	return nil
}

// fitsAny compares every candidate in full, in constant time.
func fitsAny(secrets, sent []string, sign func(secret string) string) bool {
	isFound := false
	for _, secret := range secrets {
		wanted := []byte(sign(secret))
		for _, each := range sent {
			isFound = hmac.Equal(wanted, []byte(each)) || isFound
		}
	}
	return isFound
}

// SignWebhook returns the headers of a delivery, for tests of your receiver.
func SignWebhook(secret, id string, sentAt time.Time, body []byte) http.Header {
	timestamp := strconv.FormatInt(sentAt.Unix(), 10)
	header := http.Header{}
	header.Set("Content-Type", "application/json")
	header.Set("Webhook-Id", id)
	header.Set("Webhook-Timestamp", timestamp)
	header.Set("Webhook-Signature", standardSignature(secret, id, timestamp, body))
	header.Set("X-Service-Signature", plainSignature(secret, body))
	return header
}

func standardSignature(secret, id, timestamp string, body []byte) string {
	hash := hmac.New(sha256.New, standardKey(secret))
	hash.Write([]byte(id + "." + timestamp + "."))
	hash.Write(body)
	return "v1," + base64.StdEncoding.EncodeToString(hash.Sum(nil))
}

func plainSignature(secret string, body []byte) string {
	hash := hmac.New(sha256.New, []byte(secret))
	hash.Write(body)
	return hex.EncodeToString(hash.Sum(nil))
}

const (
	secretPrefix = "whsec_"
	minKeyBytes  = 24
	maxKeyBytes  = 64
)

// standardKey is the part after the prefix if it is base64 of 24 to 64 bytes; otherwise the whole string with its
// prefix.
func standardKey(secret string) []byte {
	encoded, hasPrefix := strings.CutPrefix(secret, secretPrefix)
	decoded, err := base64.StdEncoding.DecodeString(encoded)
	isKey := hasPrefix && err == nil && !strings.ContainsAny(encoded, "\r\n") &&
		len(decoded) >= minKeyBytes && len(decoded) <= maxKeyBytes
	if isKey {
		return decoded
	}
	return []byte(secret)
}
