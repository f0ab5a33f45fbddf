package comfy

import (
	"crypto/sha256"
	"crypto/tls"
	"crypto/x509"
	"encoding/hex"
	"errors"
	"net/url"
	"slices"
	"strings"
)

// untrustedError says that a server showed a certificate that this computer
// does not trust and that nobody accepted.
type untrustedError struct {
	fingerprint string // as people compare it
	why         error
}

func (e *untrustedError) Error() string { return e.why.Error() }
func (e *untrustedError) Unwrap() error { return e.why }

var errPin = errors.New("a certificate's fingerprint is its SHA-256: 64 hexadecimal digits, with or without colons")

// Fingerprint gives a certificate's SHA-256 from any way of writing it, in the
// way in which it is shown: upper-case pairs between colons.
func Fingerprint(text string) (string, error) {
	text = strings.TrimSpace(text)
	if name, rest, ok := strings.Cut(text, ":"); ok && strings.EqualFold(strings.ReplaceAll(name, "-", ""), "sha256") {
		text = rest
	}
	sum, err := hex.DecodeString(strings.NewReplacer(":", "", " ", "").Replace(text))
	if err != nil || len(sum) != sha256.Size {
		return "", errPin
	}
	return showSum(sum), nil
}

func showSum(sum []byte) string {
	pairs := make([]string, len(sum))
	for i, b := range sum {
		pairs[i] = strings.ToUpper(hex.EncodeToString([]byte{b}))
	}
	return strings.Join(pairs, ":")
}

// trust makes the configuration of TLS for a server: what this computer trusts,
// and the certificates that were accepted for it. Of one that is neither, the
// fingerprint is kept, so that a person can compare and accept it.
func trust(base string, pins []string) (*tls.Config, error) {
	accepted := make([]string, 0, len(pins))
	for _, p := range pins {
		shown, err := Fingerprint(p)
		if err != nil {
			return nil, err
		}
		accepted = append(accepted, shown)
	}
	u, err := url.Parse(base)
	if err != nil {
		return nil, errAddress
	}
	return &tls.Config{
		MinVersion: tls.VersionTLS12,
		//nolint:gosec // VerifyConnection does all that this leaves out, and then knows the certificate
		InsecureSkipVerify: true,
		VerifyConnection: func(state tls.ConnectionState) error {
			name := state.ServerName
			if name == "" { // addresses are not told to the server
				name = u.Hostname()
			}
			return verify(state.PeerCertificates, name, accepted)
		},
	}, nil
}

func verify(chain []*x509.Certificate, name string, accepted []string) error {
	if len(chain) == 0 {
		return errors.New("the server showed no certificate")
	}
	sum := sha256.Sum256(chain[0].Raw)
	if slices.Contains(accepted, showSum(sum[:])) {
		return nil
	}
	between := x509.NewCertPool()
	for _, c := range chain[1:] {
		between.AddCert(c)
	}
	_, err := chain[0].Verify(x509.VerifyOptions{DNSName: name, Intermediates: between})
	if err != nil {
		return &untrustedError{fingerprint: showSum(sum[:]), why: err}
	}
	return nil
}
