module reckoner/e2e

go 1.26.0

require (
	github.com/godbus/dbus/v5 v5.2.4
	github.com/jezek/xgb v1.1.1
)

require golang.org/x/sys v0.27.0 // indirect
